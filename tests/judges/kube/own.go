package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
)

// The kinds of Kubernetes itself that muster writes, each with what the server does before it stores one.
var strategies = map[schema.GroupKind]rest.RESTCreateStrategy{
	{Kind: "ConfigMap"}:                  configmap.Strategy,
	{Kind: "Namespace"}:                  namespace.Strategy,
	{Kind: "PersistentVolumeClaim"}:      persistentvolumeclaim.Strategy,
	{Kind: "Pod"}:                        pod.Strategy,
	{Kind: "PodTemplate"}:                podtemplate.Strategy,
	{Kind: "Secret"}:                     secret.Strategy,
	{Kind: "Service"}:                    service.Strategy,
	{Kind: "ServiceAccount"}:             serviceaccount.Strategy,
	{Group: "apps", Kind: "Deployment"}:  deployment.Strategy,
	{Group: "apps", Kind: "StatefulSet"}: statefulset.Strategy,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:   horizontalpodautoscaler.Strategy,
	{Group: "batch", Kind: "CronJob"}:                         cronjob.Strategy,
	{Group: "batch", Kind: "Job"}:                             job.Strategy,
	{Group: "networking.k8s.io", Kind: "Ingress"}:             ingress.Strategy,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:       networkpolicy.Strategy,
	{Group: "policy", Kind: "PodDisruptionBudget"}:            poddisruptionbudget.Strategy,
	{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}: resourceclaimtemplate.NewStrategy(nil),
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:       priorityclass.Strategy,
}

var strict = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDecoder()

func ownKind(gvk schema.GroupVersionKind) bool { return strategies[gvk.GroupKind()] != nil }

// judgeOwn takes an object of Kubernetes itself.
func judgeOwn(gvk schema.GroupVersionKind, json []byte) []string {
	object, err := runtime.Decode(strict, json)
	if err != nil {
		return []string{err.Error()}
	}
	if service, ok := object.(*core.Service); ok {
		assignIPs(service)
	}
	return create(strategies[gvk.GroupKind()], gvk, object)
}

// assignIPs keeps the two spellings of a service's address in step, as the server does beside its allocator of
// addresses (normalizeClusterIPs in pkg/registry/core/service/storage, which is not exported).
func assignIPs(service *core.Service) {
	if service.Spec.ClusterIP != "" && len(service.Spec.ClusterIPs) == 0 {
		service.Spec.ClusterIPs = []string{service.Spec.ClusterIP}
	}
}

// create does what the server does between reading an object and storing it.
func create(strategy rest.RESTCreateStrategy, gvk schema.GroupVersionKind, object runtime.Object) (found []string) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return []string{err.Error()}
	}
	space := metav1.NamespaceNone
	if strategy.NamespaceScoped() {
		space = metav1.NamespaceDefault
		if accessor.GetNamespace() != "" {
			space = accessor.GetNamespace()
		}
	}
	ctx := request.WithRequestInfo(context.Background(), &request.RequestInfo{IsResourceRequest: true, Verb: "create", APIGroup: gvk.Group, APIVersion: gvk.Version})
	ctx = warning.WithWarningRecorder(request.WithNamespace(ctx, space), warnings{&found})
	rest.FillObjectMetaSystemFields(accessor)
	if accessor.GetGenerateName() != "" && accessor.GetName() == "" {
		accessor.SetName(strategy.GenerateName(accessor.GetGenerateName()))
	}
	if err := rest.BeforeCreate(strategy, ctx, object); err != nil {
		return append(found, causes(err)...)
	}
	return found
}

// warnings collects what the server would say to the client beside its answer.
type warnings struct{ into *[]string }

func (w warnings) AddWarning(_, text string) { *w.into = append(*w.into, "warning: "+text) }

// causes are the fields that a refusal names.
func causes(err error) (found []string) {
	status, ok := err.(apierrors.APIStatus)
	if !ok || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return []string{err.Error()}
	}
	for _, cause := range status.Status().Details.Causes {
		found = append(found, fmt.Sprintf("%s: %s", cause.Field, cause.Message))
	}
	return found
}
