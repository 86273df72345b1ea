module mulligan.dev/e2e/recipes

go 1.25.0
