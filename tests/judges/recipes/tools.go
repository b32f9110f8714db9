//go:build tools

package recipes

import (
	_ "github.com/reviewdog/reviewdog/cmd/reviewdog"
	_ "github.com/rhysd/actionlint/cmd/actionlint"
)
