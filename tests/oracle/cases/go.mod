module mulligan.dev/mulligan/tests/oracle/cases

go 1.24.0
