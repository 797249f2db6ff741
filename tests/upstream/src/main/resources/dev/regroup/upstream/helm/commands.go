//go:build commands

// Package commands names the programs that are built, so that go.mod keeps what they need.
package commands

import _ "helm.sh/helm/v3/cmd/helm"
