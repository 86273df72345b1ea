module example.org/calls

go 1.25.0
