module example.org/unused

go 1.25.0
