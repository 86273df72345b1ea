// Unused uses another function of the package with the vulnerability.
package main

import (
	"fmt"
	"net/textproto"
)

func main() { fmt.Println(textproto.CanonicalMIMEHeaderKey("x")) }
