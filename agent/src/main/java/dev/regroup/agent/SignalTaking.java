package dev.regroup.agent;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Takes signals that would end the JVM. By reflection, because the compiler refuses {@code
 * sun.misc.Signal} in a build without warnings; it is part of a module that exports it, and the JDK
 * has no other way to a signal.
 */
final class SignalTaking {

  private SignalTaking() {}

  /** Tells the number of each signal of this name, on a thread of the JVM. */
  static void of(String name, IntConsumer heard) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object one = signal.getConstructor(String.class).newInstance(name);
      int number = (int) signal.getMethod("getNumber").invoke(one);
      Object listener =
          Proxy.newProxyInstance(
              SignalTaking.class.getClassLoader(),
              new Class<?>[] {handler},
              (_, method, _) -> { // of an object's own methods the JVM calls none
                if (method.getName().equals("handle")) {
                  heard.accept(number);
                }
                return null;
              });
      signal.getMethod("handle", signal, handler).invoke(null, one, listener);
    } catch (InvocationTargetException e) {
      AgentLog.say("SIG" + name + " is not handed on: " + e.getCause());
    } catch (ReflectiveOperationException e) {
      AgentLog.say("SIG" + name + " is not handed on: " + e);
    }
  }
}
