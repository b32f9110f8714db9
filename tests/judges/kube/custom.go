package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	sigsyaml "sigs.k8s.io/yaml"
)

// definition is one served version of a CustomResourceDefinition, ready to judge.
type definition struct {
	schema   *structuralschema.Structural
	strategy rest.RESTCreateStrategy
}

// definitions are the CustomResourceDefinitions of a folder, files named GROUP_KIND.yaml in lower case. Their schemas
// are megabytes of YAML: each is read when it is first asked for.
type definitions struct {
	folder string
	ready  map[schema.GroupVersionKind]*definition
}

func (d *definitions) find(gvk schema.GroupVersionKind) (*definition, error) {
	if found := d.ready[gvk]; found != nil {
		return found, nil
	}
	files, err := filepath.Glob(filepath.Join(d.folder, gvk.Group+"_"+strings.ToLower(gvk.Kind)+"*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := d.read(file); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	if found := d.ready[gvk]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("no definition of %s", gvk)
}

func readDefinition(file string) (*apiextensionsv1.CustomResourceDefinition, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := sigsyaml.UnmarshalStrict(content, crd); err != nil {
		return nil, err
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	return crd, nil
}

func (d *definitions) read(file string) error {
	crd, err := readDefinition(file)
	if err != nil {
		return err
	}
	if d.ready == nil {
		d.ready = map[schema.GroupVersionKind]*definition{}
	}
	for i := range crd.Spec.Versions {
		version := &crd.Spec.Versions[i]
		if !version.Served {
			continue
		}
		gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
		if d.ready[gvk], err = prepare(crd, version, gvk); err != nil {
			return err
		}
	}
	return nil
}

// prepare does what the server does when a definition is created (customresource_handler.go).
func prepare(crd *apiextensionsv1.CustomResourceDefinition, version *apiextensionsv1.CustomResourceDefinitionVersion, gvk schema.GroupVersionKind) (*definition, error) {
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	status, scale, err := subresources(version)
	if err != nil {
		return nil, err
	}
	typer := crdserverscheme.NewUnstructuredObjectTyper()
	strategy := customresource.NewStrategy(typer, crd.Spec.Scope == apiextensionsv1.NamespaceScoped, gvk, validator, nil, structural, status, scale, version.SelectableFields)
	return &definition{structural, strategy}, nil
}

func subresources(version *apiextensionsv1.CustomResourceDefinitionVersion) (*apiextensions.CustomResourceSubresourceStatus, *apiextensions.CustomResourceSubresourceScale, error) {
	if version.Subresources == nil {
		return nil, nil, nil
	}
	internal := &apiextensions.CustomResourceSubresources{}
	err := apiextensionsv1.Convert_v1_CustomResourceSubresources_To_apiextensions_CustomResourceSubresources(version.Subresources, internal, nil)
	return internal.Status, internal.Scale, err
}

// judge takes one object of the definition: pruned with every unknown field told, defaulted, then validated.
func (d *definition) judge(json []byte) []string {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(json); err != nil {
		return []string{err.Error()}
	}
	unknown, err := d.coerce(object)
	if err != nil {
		return []string{err.Error()}
	}
	found := make([]string, 0, len(unknown))
	for _, path := range unknown {
		found = append(found, fmt.Sprintf("unknown field %q", path))
	}
	defaulting.Default(object.UnstructuredContent(), d.schema)
	return append(found, create(d.strategy, object.GroupVersionKind(), object)...)
}

// coerce drops what the schema does not know, as the server does on reading, and returns the paths.
func (d *definition) coerce(object *unstructured.Unstructured) ([]string, error) {
	kind, version := object.GetKind(), object.GetAPIVersion()
	meta, hasMeta, unknown, err := objectmeta.GetObjectMetaWithOptions(object.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	unknown = append(unknown, pruning.PruneWithOptions(object.Object, d.schema, true, options)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, d.schema)
	wrong, inner := objectmeta.CoerceWithOptions(nil, object.Object, d.schema, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if wrong != nil {
		return nil, wrong
	}
	object.SetKind(kind)
	object.SetAPIVersion(version)
	if hasMeta {
		if err := objectmeta.SetObjectMeta(object.Object, meta); err != nil {
			return nil, err
		}
	}
	return append(unknown, inner...), nil
}
