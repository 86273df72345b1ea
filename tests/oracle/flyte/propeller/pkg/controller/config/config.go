// Package config replaces FlytePropeller's package of the same name, which is
// not published as a module. Flyte's plugins read one of its settings when they
// build pods; none are built here.
package config

// LiteralOffloadingConfig is off.
type LiteralOffloadingConfig struct {
	Enabled                  bool
	MinSizeInMBForOffloading int64
	MaxSizeInMBForOffloading int64
}

// Config is the part of propeller's configuration that the plugins read.
type Config struct {
	LiteralOffloadingConfig LiteralOffloadingConfig
}

// GetConfig returns the defaults.
func GetConfig() *Config { return &Config{} }
