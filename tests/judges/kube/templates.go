package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// judgeTemplates takes the pod and job templates anywhere in a custom resource as the objects that its operator
// makes of them. A patch over somebody else's template is not whole and is left to its own schema.
func judgeTemplates(document []byte) (found []string) {
	var object any
	if err := json.Unmarshal(document, &object); err != nil {
		return []string{err.Error()}
	}
	walk(object, "", func(path string, template map[string]any) {
		gvk, whole := asObject(template)
		text, err := json.Marshal(whole)
		if err != nil {
			found = append(found, err.Error())
			return
		}
		for _, said := range judgeOwn(gvk, text) {
			found = append(found, fmt.Sprintf("%s: %s", path, said))
		}
	})
	return found
}

// walk calls `take` for every mapping that holds a template of a Job, or else of a pod.
func walk(value any, path string, take func(string, map[string]any)) {
	switch inner := value.(type) {
	case map[string]any:
		if isTemplate(inner) {
			take(path, inner)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(inner)) {
			if key != "runtimePatches" && key != "status" {
				walk(inner[key], path+"."+key, take)
			}
		}
	case []any:
		for i, next := range inner {
			walk(next, fmt.Sprintf("%s[%d]", path, i), take)
		}
	}
}

func at(value any, keys ...string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// isTemplate: a `spec` with containers, or with a pod template and what only a Job has.
func isTemplate(value map[string]any) bool {
	return value["kind"] == nil && (at(value, "spec", "containers") != nil || isJobTemplate(value))
}

func isJobTemplate(value map[string]any) bool {
	return value["kind"] == nil && at(value, "spec", "template", "spec", "containers") != nil
}

// asObject is the object that a template becomes: a Job, or a PodTemplate, which has a pod's rules without a name's.
func asObject(template map[string]any) (schema.GroupVersionKind, map[string]any) {
	if isJobTemplate(template) {
		gvk := schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
		job := map[string]any{"apiVersion": "batch/v1", "kind": "Job", "spec": template["spec"]}
		job["metadata"] = named(template["metadata"])
		return gvk, job
	}
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "PodTemplate"}
	pod := map[string]any{"apiVersion": "v1", "kind": "PodTemplate", "template": template}
	pod["metadata"] = named(nil)
	return gvk, pod
}

// named is the metadata of a template with the name that its operator will give it.
func named(metadata any) map[string]any {
	made := map[string]any{"name": "template"}
	if given, ok := metadata.(map[string]any); ok {
		for key, value := range given {
			made[key] = value
		}
	}
	return made
}
