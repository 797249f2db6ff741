// Uses a cluster as programs written for Kubernetes do: client-go with its own content type,
// protobuf, and controller-runtime with caches. Prints one line per step; the last is "done".
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const space = "go-clients"

func must(step string, err error) {
	if err != nil {
		fmt.Println("FAILED", step+":", err)
		os.Exit(1)
	}
}

func check(step string, holds bool, found any) {
	if !holds {
		fmt.Printf("FAILED %s: found %+v\n", step, found)
		os.Exit(1)
	}
}

func ok(step string) { fmt.Println("ok", step) }

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must("kubeconfig", err)
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()

	proto := rest.CopyConfig(config)
	proto.ContentType = "application/vnd.kubernetes.protobuf"
	proto.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	kube, err := kubernetes.NewForConfig(proto)
	must("client", err)

	_, err = kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}, metav1.CreateOptions{})
	must("namespace", err)
	version, err := kube.Discovery().ServerVersion()
	must("version", err)
	check("version", version.Major == "1", version)
	_, _, err = kube.Discovery().ServerGroupsAndResources()
	must("discovery", err)
	ok("namespace, version, discovery")

	configMaps(ctx, kube)
	pods(ctx, kube)
	jobs(ctx, kube)
	errors(ctx, kube)
	partial(ctx, proto)
	leader(ctx, kube)
	informer(ctx, kube)
	controller(ctx, config)
	must("namespace", kube.CoreV1().Namespaces().Delete(ctx, space, metav1.DeleteOptions{}))
	fmt.Println("done")
}

func configMaps(ctx context.Context, kube kubernetes.Interface) {
	maps := kube.CoreV1().ConfigMaps(space)
	yes := true
	made, err := maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"x": "1"}},
		Data:       map[string]string{"k": "größe", "empty": ""},
		BinaryData: map[string][]byte{"b": {0, 1, 255}},
	}, metav1.CreateOptions{})
	must("create", err)
	check("create", made.UID != "" && made.ResourceVersion != "" && !made.CreationTimestamp.IsZero(), made)
	got, err := maps.Get(ctx, "a", metav1.GetOptions{})
	must("get", err)
	check("get", got.Data["k"] == "größe" && len(got.BinaryData["b"]) == 3 && got.BinaryData["b"][2] == 255 && got.UID == made.UID, got)
	_, has := got.Data["empty"]
	check("get", has, got)

	watching, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: got.ResourceVersion})
	must("watch", err)
	got.Data["k"] = "v"
	updated, err := maps.Update(ctx, got, metav1.UpdateOptions{})
	must("update", err)
	_, err = maps.Update(ctx, made, metav1.UpdateOptions{})
	check("old update", apierrors.IsConflict(err), err)
	patched, err := maps.Patch(ctx, "a", types.StrategicMergePatchType, []byte(`{"data":{"p":"1"}}`), metav1.PatchOptions{})
	must("patch", err)
	check("patch", patched.Data["p"] == "1" && patched.Data["k"] == "v" && patched.ResourceVersion != updated.ResourceVersion, patched)
	patched.Immutable = &yes
	_, err = maps.Update(ctx, patched, metav1.UpdateOptions{})
	must("immutable", err)
	list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "x=1"})
	must("list", err)
	check("list", len(list.Items) == 1 && list.ResourceVersion != "" && *list.Items[0].Immutable, list)
	uid := made.UID
	wrong := types.UID("other")
	err = maps.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	check("delete of another", apierrors.IsConflict(err), err)
	must("delete", maps.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}))
	for _, want := range []watch.EventType{watch.Modified, watch.Modified, watch.Modified, watch.Deleted} {
		event := <-watching.ResultChan()
		m, is := event.Object.(*corev1.ConfigMap)
		check("event", event.Type == want && is && m.Name == "a", event)
	}
	watching.Stop()
	for i := 0; i < 7; i++ {
		_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "page-", Labels: map[string]string{"page": "y"}}}, metav1.CreateOptions{})
		must("create", err)
	}
	seen, next := 0, ""
	for {
		page, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "page=y", Limit: 3, Continue: next})
		must("page", err)
		seen += len(page.Items)
		if next = page.Continue; next == "" {
			break
		}
	}
	check("pages", seen == 7, seen)
	must("delete all", maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "page=y"}))
	ok("config maps: create, get, watch, update, conflict, patch, list, pages, delete, delete all")
}

func pod(name string) *corev1.Pod {
	always := corev1.ContainerRestartPolicyAlways
	grace := int64(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"a/b": "c"}},
		Spec: corev1.PodSpec{
			NodeName:                      "nowhere",
			TerminationGracePeriodSeconds: &grace,
			InitContainers:                []corev1.Container{{Name: "side", Image: "i", RestartPolicy: &always}},
			Containers: []corev1.Container{{
				Name: "main", Image: "i", Command: []string{"sleep", "1"},
				Env: []corev1.EnvVar{{Name: "N", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}, {Name: "EMPTY"}},
			}},
			Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		},
	}
}

func pods(ctx context.Context, kube kubernetes.Interface) {
	pods := kube.CoreV1().Pods(space)
	made, err := pods.Create(ctx, pod("p"), metav1.CreateOptions{})
	must("pod", err)
	check("defaults", made.Spec.RestartPolicy == "Always" && made.Spec.DNSPolicy == "ClusterFirst" && made.Spec.Containers[0].ImagePullPolicy == "Always" &&
		made.Status.Phase == "Pending" && made.Spec.Volumes[0].EmptyDir != nil && *made.Spec.TerminationGracePeriodSeconds == 0, made)
	check("fields", made.Spec.Containers[0].Env[0].ValueFrom.FieldRef.FieldPath == "metadata.name" && *made.Spec.InitContainers[0].RestartPolicy == "Always", made)
	now := metav1.Now().Rfc3339Copy()
	made.Status.Phase = corev1.PodRunning
	made.Status.StartTime = &now
	made.Status.Conditions = []corev1.PodCondition{{Type: "Ready", Status: "True", LastTransitionTime: now}}
	made.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Ready: true, RestartCount: 2, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}}}
	status, err := pods.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	must("status", err)
	check("status", status.Status.Phase == "Running" && status.Status.StartTime.Equal(&now) && status.Status.ContainerStatuses[0].RestartCount == 2, status.Status)
	list, err := pods.List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", "nowhere").String()})
	must("list", err)
	check("list", len(list.Items) == 1 && list.Items[0].Spec.NodeName == "nowhere", list)
	must("evict", pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}}))
	_, err = pods.Create(ctx, pod("q"), metav1.CreateOptions{})
	must("pod", err)
	zero := int64(0)
	must("delete", pods.Delete(ctx, "q", metav1.DeleteOptions{GracePeriodSeconds: &zero}))
	_, err = pods.Get(ctx, "q", metav1.GetOptions{})
	check("gone", apierrors.IsNotFound(err), err)
	ok("pods: create, status, field selector, evict, delete at once")
}

func jobs(ctx context.Context, kube kubernetes.Interface) {
	jobs := kube.BatchV1().Jobs(space)
	suspended := true
	none := int32(0)
	spec := pod("").Spec
	spec.NodeName = ""
	spec.RestartPolicy = "Never"
	made, err := jobs.Create(ctx, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "j"},
		Spec:       batchv1.JobSpec{Suspend: &suspended, BackoffLimit: &none, Template: corev1.PodTemplateSpec{Spec: spec}},
	}, metav1.CreateOptions{})
	must("job", err)
	check("job", *made.Spec.Suspend && *made.Spec.BackoffLimit == 0 && *made.Spec.Parallelism == 1 && made.Spec.Selector != nil, made.Spec)
	_, err = jobs.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "bad"}}, metav1.CreateOptions{})
	check("invalid", apierrors.IsInvalid(err), err)
	list, err := jobs.List(ctx, metav1.ListOptions{})
	must("jobs", err)
	check("jobs", len(list.Items) == 1, list)
	policy := metav1.DeletePropagationBackground
	must("delete", jobs.Delete(ctx, "j", metav1.DeleteOptions{PropagationPolicy: &policy}))
	ok("jobs: create, zero and default, invalid, list, delete with a policy")
}

func errors(ctx context.Context, kube kubernetes.Interface) {
	_, err := kube.CoreV1().ConfigMaps(space).Get(ctx, "none", metav1.GetOptions{})
	check("not found", apierrors.IsNotFound(err), err)
	status := err.(apierrors.APIStatus).Status()
	check("not found", status.Details.Name == "none" && status.Details.Kind == "configmaps" && status.Code == 404, status)
	_, err = kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}, metav1.CreateOptions{})
	check("exists", apierrors.IsAlreadyExists(err), err)
	_, err = kube.CoreV1().ConfigMaps(space).Watch(ctx, metav1.ListOptions{ResourceVersion: "nonsense"})
	check("bad watch", err != nil, err)
	ok("errors")
}

// partial reads metadata only, of a built-in kind and of a custom one, both as protobuf.
func partial(ctx context.Context, config *rest.Config) {
	meta, err := metadata.NewForConfig(config)
	must("metadata client", err)
	spaces, err := meta.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).List(ctx, metav1.ListOptions{})
	must("metadata", err)
	check("metadata", len(spaces.Items) > 1 && spaces.Items[0].UID != "", spaces)
	_, err = meta.Resource(schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}).List(ctx, metav1.ListOptions{})
	must("metadata of job sets", err)
	ok("metadata only")
}

func leader(ctx context.Context, kube kubernetes.Interface) {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: space},
		Client:     kube.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
	}
	ctx, cancel := context.WithCancel(ctx)
	led := false
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { led = true; time.Sleep(time.Second); cancel() },
			OnStoppedLeading: func() {},
		},
	})
	check("leader", led, led)
	ok("leader election")
}

func informer(ctx context.Context, kube kubernetes.Interface) {
	factory := informers.NewSharedInformerFactoryWithOptions(kube, 0, informers.WithNamespace(space))
	secrets := factory.Core().V1().Secrets()
	added := make(chan string, 100)
	secrets.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(o any) { added <- o.(*corev1.Secret).Name }})
	for i := 0; i < 10; i++ {
		if i == 5 {
			factory.Start(ctx.Done())
			check("synced", cache.WaitForCacheSync(ctx.Done(), secrets.Informer().HasSynced), "no")
		}
		_, err := kube.CoreV1().Secrets(space).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("s-", i)}, Data: map[string][]byte{"k": []byte("v")}}, metav1.CreateOptions{})
		must("secret", err)
	}
	for i := 0; i < 10; i++ {
		select {
		case <-added:
		case <-ctx.Done():
			check("informer", false, i)
		}
	}
	ok("informer: first what is there, then what comes")
}

// controller owns a config map for each secret that asks for one, as operators do.
func controller(ctx context.Context, config *rest.Config) {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	ctx, cancel := context.WithCancel(ctx)
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}, LeaderElection: true, LeaderElectionID: "go-clients", LeaderElectionNamespace: space})
	must("manager", err)
	reconciler := reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		var secret corev1.Secret
		if err := manager.GetClient().Get(ctx, request.NamespacedName, &secret); err != nil || secret.Namespace != space || !secret.DeletionTimestamp.IsZero() {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: secret.Name, Namespace: space}}
		_, err := controllerutil.CreateOrUpdate(ctx, manager.GetClient(), owned, func() error {
			owned.Data = map[string]string{"of": string(secret.UID)}
			return controllerutil.SetControllerReference(&secret, owned, manager.GetScheme())
		})
		if err != nil {
			return reconcile.Result{}, err
		}
		before := secret.DeepCopy()
		metav1.SetMetaDataAnnotation(&secret.ObjectMeta, "seen", "yes")
		return reconcile.Result{}, manager.GetClient().Patch(ctx, &secret, client.MergeFrom(before))
	})
	must("controller", ctrl.NewControllerManagedBy(manager).For(&corev1.Secret{}).Owns(&corev1.ConfigMap{}).Complete(reconciler))
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	check("caches", manager.GetCache().WaitForCacheSync(ctx), "no")
	for {
		var maps corev1.ConfigMapList
		var secrets corev1.SecretList
		must("list", manager.GetAPIReader().List(ctx, &maps, client.InNamespace(space)))
		must("list", manager.GetAPIReader().List(ctx, &secrets, client.InNamespace(space)))
		count := 0
		for _, m := range maps.Items {
			if metav1.IsControlledBy(&m, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{UID: types.UID(m.Data["of"])}}) {
				count++
			}
		}
		for _, s := range secrets.Items {
			if s.Annotations["seen"] == "yes" {
				count++
			}
		}
		if count == 20 {
			break
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			check("controller", false, count)
		}
	}
	cancel()
	must("manager", <-ended)
	ok("controller-runtime: manager, caches, leader election, owned objects, patches")
}
