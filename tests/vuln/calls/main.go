// Calls uses the function with the vulnerability of tests/vuln/db.
package main

import (
	"fmt"
	"net/textproto"
)

func main() { fmt.Println(textproto.TrimString(" x ")) }
