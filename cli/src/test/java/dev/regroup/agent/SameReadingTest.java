package dev.regroup.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.agent.AgentConfig.Place;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.pod.RestartFields;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An agent in a pod knows nothing but the JDK and reads the wire itself; Regroup's node is an agent
 * too and reads it as everybody else here. Both must read the same.
 */
class SameReadingTest {

  private static final Place ANYWHERE = new Place("n", "js", "", "p");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'status':null}",
        "{'status':{'currentInPlaceRestartAttempt':0}}",
        "{'status':{'currentInPlaceRestartAttempt':2,'previousInPlaceRestartAttempt':2}}",
        "{'status':{'currentInPlaceRestartAttempt':'2','syncedEpoch':4,'deprecatedEpoch':3}}",
        "{'status':{'currentInPlaceRestartAttempt':5,'syncedEpoch':2}}",
        "{'status':{'currentInPlaceRestartAttempt':99999999999,'syncedEpoch':1.5}}",
        "{'status':{'currentInPlaceRestartAttempt':-1,'previousInPlaceRestartAttempt':true}}",
        "{'metadata':{'annotations':{'jobset.sigs.k8s.io/disable-in-place-restart':''}}}",
        "{'metadata':{'annotations':{'jobset.sigs.k8s.io/disable-in-place-restart':null}}}",
        "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'},"
            + "'status':{'currentInPlaceRestartAttempt':1}}",
        "{'status':{'currentInPlaceRestartAttempt':1,"
            + "'conditions':[{'type':'Failed','status':'True'}]}}",
        "{'status':{'currentInPlaceRestartAttempt':1,"
            + "'conditions':[7,{'type':'Suspended','status':'True'},"
            + "{'type':'Completed','status':'True'}]}}",
        "{'status':{'currentInPlaceRestartAttempt':1,"
            + "'conditions':[{'type':'Failed','status':'False'},{'type':'Completed'}]}}",
        "{'spec':{'failurePolicy':{'restartStrategy':'Recreate'}}}",
        "{'spec':{'failurePolicy':{'restartStrategy':7}}}",
        "{'spec':null}"
      })
  void orders_of_a_jobset(String changed) throws Exception {
    var jobSet =
        Wire.tree("{\"spec\":{\"failurePolicy\":{\"restartStrategy\":\"InPlaceRestart\"}}}");
    jobSet.setAll(Wire.tree(changed.replace('\'', '"')));
    byte[] text = Wire.write(jobSet);

    var agents =
        JobSetReading.orders(JsonScan.object(text, text.length, JobSetReading.SKIPPED), ANYWHERE);

    assertThat(agents).isEqualTo(JobSetReader.orders(jobSet));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'action':'Restart','exitCodes':{'operator':'In','values':[1,2,255,-1]}}",
        "{'action':'RestartAllContainers','exitCodes':{'operator':'NotIn','values':[]}}",
        "{'action':'Terminate','restartTimes':3}",
        "{'action':'Complete','exit':{}}",
        "{'action':'TerminatePod','exit':{},'restartTimes':0}",
        "{'action':'Restart','exit':{},'exitCodes':{'operator':'In'}}",
        "{'action':'Restart','exit':{},'exitCodes':null}"
      })
  void rules_of_a_container(String rule) throws Exception {
    var container = Wire.object();
    container.putArray("restartPolicyRules").add(Wire.tree(rule.replace('\'', '"')));

    var agents = RulesReading.of("V", Wire.text(container));

    assertThat(agents).isEqualTo(RestartFields.rules(container));
  }
}
