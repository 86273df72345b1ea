package mulligan

import (
	"fmt"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// rungs of the ladder, worded as on the command line.
var rungs = map[mulliganv1.Escalation_Rung]string{
	mulliganv1.Escalation_IN_PLACE:       "the same again",
	mulliganv1.Escalation_ANOTHER_NODE:   "another node",
	mulliganv1.Escalation_ON_DEMAND:      "on-demand capacity",
	mulliganv1.Escalation_MORE_RESOURCES: "more resources",
	mulliganv1.Escalation_PERSON:         "a person",
}

// Ladder returns the decision's position among the possible remedies and the next one,
// for people: "another node; after 2 more like it a person". Empty if the answer does
// not say.
func Ladder(decision *mulliganv1.Decision) string {
	escalation := decision.GetEscalation()
	text := rungs[escalation.GetRung()]
	if text == "" || escalation.GetNext() == mulliganv1.Escalation_RUNG_UNSPECIFIED {
		return text
	}
	after := "one more"
	if escalation.GetAfter() != 1 {
		after = fmt.Sprintf("%d more", escalation.GetAfter())
	}
	return fmt.Sprintf("%s; after %s like it %s", text, after, rungs[escalation.GetNext()])
}
