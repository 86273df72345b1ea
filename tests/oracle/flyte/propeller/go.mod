module github.com/flyteorg/flyte/flytepropeller

go 1.26
