"""Rules for every set of rendered objects, one function each.

A set is the input of one `kubectl apply`. Each rule yields its problems as text.
"""

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/structure"))
import check_deploy  # noqa: E402

# Made by the user who applies the set.
GIVEN_SECRETS = {"mulligan-tls", "my-certificates", "mulligan-receivers",
                 "mulligan-peers"}
GIVEN_CONFIG_MAPS = {"mulligan-candidate"}
GIVEN_CLAIMS = {"mulligan-decision-logs"}


def name_of(item):
    return f"{item['kind']} {item['metadata']['name']}"


def of_kind(items, *kinds):
    return [item for item in items if item["kind"] in kinds]


def pods(items):
    """Yields (object, pod spec, pod labels) of each object that runs pods."""
    for item in of_kind(items, "Deployment", "Job", "CronJob"):
        spec = item["spec"].get("jobTemplate", item)["spec"]
        template = spec["template"]
        yield item, template["spec"], template.get("metadata", {}).get("labels", {})


def servers(items):
    for item, pod, labels in pods(items):
        for container in pod["containers"]:
            if item["kind"] == "Deployment" and container["name"] == "mulligan":
                yield item, pod, labels, container


def flags_exist(items, help_texts):
    known = set(check_deploy.FLAG.findall(help_texts["server"]))
    for item, pod, _, container in servers(items):
        # Lists of callers may be in a ConfigMap.
        yield from check_deploy.check_container(name_of(item), pod, container, known)
        for variable in variables(items, container):
            if variable.startswith("MULLIGAN_") and variable not in help_texts["server"]:
                yield f"{name_of(item)}: mulligan-server has no {variable}"


def controller_flags_exist(items, help_texts):
    for item, pod, _labels in pods(items):
        for container in pod["containers"]:
            if container["image"].startswith("mulligan-controller:"):
                for flag in check_deploy.flags(container.get("args", ())):
                    if flag not in help_texts["controller"]:
                        yield f"{name_of(item)}: mulligan-controller has no {flag}"


def replay_flags_exist(items, help_texts):
    """Checks `mulligan replay` if this build has it."""
    for item, pod, _labels in pods(items):
        for container in pod["containers"]:
            words = container.get("args", ["", ""])
            if words[0] == "replay" and help_texts["replay"]:
                for flag in check_deploy.flags(words) - set(
                        check_deploy.FLAG.findall(help_texts["replay"])):
                    yield f"{name_of(item)}: mulligan replay has no {flag}"


def callers_are_let_in(items, _):
    """Every certificate of the set is on the list of callers."""
    uris = {uri for item in of_kind(items, "Certificate") for uri in item["spec"].get("uris", ())}
    for item, _pod, _labels, container in servers(items):
        names = (check_deploy.argument(container, "--allow-callers")
                 or variables(items, container).get("MULLIGAN_ALLOW_CALLERS", "")).split(",")
        for uri in uris - set(names):
            yield f"{name_of(item)}: {uri} has a certificate and may not call"


def variables(items, container):
    """Returns the container's environment."""
    found = {entry["name"]: entry.get("value") for entry in container.get("env", ())}
    maps = {item["metadata"]["name"]: item for item in of_kind(items, "ConfigMap")}
    for source in container.get("envFrom", ()):
        found.update(maps.get(source["configMapRef"]["name"], {}).get("data", {}))
    return found


def callers_are_named(items, _):
    for item, _pod, _labels, container in servers(items):
        given = variables(items, container)
        for flag, variable in (("--allow-callers", "MULLIGAN_ALLOW_CALLERS"),
                               ("--allow-policy-callers", "MULLIGAN_ALLOW_POLICY_CALLERS")):
            names = check_deploy.argument(container, flag) or given.get(variable) or ""
            if not names or "*" in names.split(","):
                yield f"{name_of(item)}: {flag} allows any caller: '{names}'"


def pods_are_restricted(items, _):
    """Every pod meets Pod Security's level `restricted`, and a little more."""
    for item, pod, _labels in pods(items):
        security = pod.get("securityContext", {})
        if not security.get("runAsNonRoot"):
            yield f"{name_of(item)}: runAsNonRoot is not set"
        if security.get("seccompProfile") != {"type": "RuntimeDefault"}:
            yield f"{name_of(item)}: seccompProfile is not RuntimeDefault"
        for flag in ("hostNetwork", "hostPID", "hostIPC"):
            if pod.get(flag):
                yield f"{name_of(item)}: {flag}"
        for container in pod["containers"] + pod.get("initContainers", []):
            own = container.get("securityContext", {})
            where = f"{name_of(item)}, container {container['name']}"
            if own.get("allowPrivilegeEscalation") is not False:
                yield f"{where}: allowPrivilegeEscalation is not false"
            if not own.get("readOnlyRootFilesystem"):
                yield f"{where}: readOnlyRootFilesystem is not set"
            if own.get("capabilities", {}).get("drop") != ["ALL"]:
                yield f"{where}: capabilities are not dropped"
            if "memory" not in container.get("resources", {}).get("limits", {}):
                yield f"{where}: no memory limit"


def probes_ask_the_admin_port(items, _):
    for item, _pod, _labels, container in servers(items):
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if container.get(probe, {}).get("httpGet", {}).get("port") != "admin":
                yield f"{name_of(item)}: {probe} does not ask the admin port"


def references_exist(items, _):
    names = {(item["kind"], item["metadata"]["name"]) for item in items}
    made = {item["spec"]["secretName"] for item in of_kind(items, "Certificate")}
    for item, pod, _labels in pods(items):
        wanted = [("ServiceAccount", pod.get("serviceAccountName"))]
        for volume in pod.get("volumes", ()):
            wanted.append(("ConfigMap", volume.get("configMap", {}).get("name")))
            wanted.append(("Secret", volume.get("secret", {}).get("secretName")))
            wanted.append(("PersistentVolumeClaim",
                           volume.get("persistentVolumeClaim", {}).get("claimName")))
            wanted += [("ConfigMap", source["configMap"]["name"])
                       for source in volume.get("projected", {}).get("sources", ())
                       if not source["configMap"].get("optional")]
        for container in pod["containers"]:
            wanted += [("ConfigMap", source.get("configMapRef", {}).get("name"))
                       for source in container.get("envFrom", ())]
            mounted = {mount["name"] for mount in container.get("volumeMounts", ())}
            for name in mounted - {volume["name"] for volume in pod.get("volumes", ())}:
                yield f"{name_of(item)}: mounts {name}, which is not a volume"
        for kind, name in wanted:
            given = {"Secret": made | GIVEN_SECRETS,
                     "ConfigMap": GIVEN_CONFIG_MAPS,
                     "PersistentVolumeClaim": GIVEN_CLAIMS}.get(kind, ())
            if name and (kind, name) not in names and name not in given:
                yield f"{name_of(item)}: {kind} {name} is not in the set"


def issuers_exist(items, _):
    issuers = {item["metadata"]["name"] for item in of_kind(items, "Issuer")}
    for item in of_kind(items, "Certificate"):
        reference = item["spec"]["issuerRef"]
        if reference["kind"] == "Issuer" and reference["name"] not in issuers:
            yield f"{name_of(item)}: Issuer {reference['name']} is not in the set"


def certificates_name_the_service(items, _):
    """Otherwise callers of the Service would reject its pods' certificate."""
    serving = {item["spec"]["secretName"]: item for item in of_kind(items, "Certificate")
               if "server auth" in item["spec"].get("usages", ())}
    for service in of_kind(items, "Service"):
        metadata = service["metadata"]
        wanted = f"{metadata['name']}.{metadata.get('namespace', 'mulligan')}.svc"
        for _item, pod, labels in pods(items):
            if not service["spec"]["selector"].items() <= labels.items():
                continue
            # It makes the certificate itself; Secret and Service have the same name.
            if f"--webhook-secret={metadata['name']}" in pod["containers"][0].get("args", ()):
                continue
            for volume in pod.get("volumes", ()):
                item = serving.get(volume.get("secret", {}).get("secretName"))
                if item and wanted not in item["spec"].get("dnsNames", ()):
                    yield f"{name_of(item)}: does not name {wanted}"


def selectors_select(items, _):
    labels = [labels for _, _, labels in pods(items)]
    deployments = {item["metadata"]["name"] for item in of_kind(items, "Deployment")}

    def hits(selector):
        return any(selector.items() <= having.items() for having in labels)

    for item in of_kind(items, "Service"):
        if not hits(item["spec"]["selector"]):
            yield f"{name_of(item)}: selects no pod of the set"
        named = {port["name"] for _, pod, labels in pods(items) for container in pod["containers"]
                 for port in container.get("ports", ())
                 if item["spec"]["selector"].items() <= labels.items()}
        for port in item["spec"]["ports"]:
            if port["targetPort"] not in named:
                yield f"{name_of(item)}: no port {port['targetPort']}"
    for item in of_kind(items, "PodDisruptionBudget"):
        if not hits(item["spec"]["selector"]["matchLabels"]):
            yield f"{name_of(item)}: selects no pod of the set"
    for item in of_kind(items, "NetworkPolicy"):
        if not hits(item["spec"]["podSelector"]["matchLabels"]):
            yield f"{name_of(item)}: selects no pod of the set"
    for item in of_kind(items, "Deployment"):
        template = item["spec"]["template"]["metadata"]["labels"]
        if not item["spec"]["selector"]["matchLabels"].items() <= template.items():
            yield f"{name_of(item)}: does not select its own pods"
    for item in of_kind(items, "HorizontalPodAutoscaler"):
        if item["spec"]["scaleTargetRef"]["name"] not in deployments:
            yield f"{name_of(item)}: scales nothing of the set"
        if any("replicas" in other["spec"] for other in of_kind(items, "Deployment")
               if other["metadata"]["name"] == item["spec"]["scaleTargetRef"]["name"]):
            yield f"{name_of(item)}: and the Deployment both own the replicas"
    services = of_kind(items, "Service")
    for item in of_kind(items, "ServiceMonitor"):
        wanted = item["spec"]["selector"]["matchLabels"].items()
        found = [other for other in services
                 if wanted <= other["metadata"].get("labels", {}).items()]
        if not found:
            yield f"{name_of(item)}: selects no Service of the set"
        for endpoint in item["spec"]["endpoints"]:
            for other in found:
                if endpoint["port"] not in {port["name"] for port in other["spec"]["ports"]}:
                    yield f"{name_of(item)}: {name_of(other)} has no port {endpoint['port']}"


def network_is_closed(items, _):
    """If the set has policies, they restrict both directions of every pod with ports."""
    policies = of_kind(items, "NetworkPolicy")
    for item in policies:
        if set(item["spec"]["policyTypes"]) != {"Ingress", "Egress"}:
            yield f"{name_of(item)}: restricts only one direction"
        for rule in item["spec"]["ingress"]:
            # The API server calls webhooks, and no selector matches it.
            if rule.get("ports") == [{"port": "webhook"}]:
                continue
            if not rule.get("from") or not rule.get("ports"):
                yield f"{name_of(item)}: allows any peer or any port in"
            # Any user who creates pods sets their labels; only admins label
            # namespaces.
            for peer in rule.get("from", ()):
                if not any(peer.get("namespaceSelector", {"": "of this one"}).values()):
                    yield f"{name_of(item)}: trusts labels that any pod may carry"
        for rule in item["spec"]["egress"]:
            if not rule.get("ports"):
                yield f"{name_of(item)}: allows any port out"
    for item, pod, labels in pods(items):
        listens = any(container.get("ports") for container in pod["containers"])
        if policies and listens and not policies_of(policies, labels):
            yield f"{name_of(item)}: no NetworkPolicy selects it"


def policies_of(policies, labels):
    return [item for item in policies
            if item["spec"]["podSelector"]["matchLabels"].items() <= labels.items()]


def lets(rules, peers, port, labels):
    """Returns whether a rule allows the port for pods of the namespace with the labels."""
    return any(port in {each.get("port") for each in rule.get("ports", ())} and
               any("namespaceSelector" not in peer and "podSelector" in peer and
                   peer["podSelector"].get("matchLabels", {}).items() <= labels.items()
                   for peer in rule.get(peers, ()))
               for rule in rules)


def controllers(items):
    for item, pod, labels in pods(items):
        for container in pod["containers"]:
            if item["kind"] == "Deployment" and container["name"] == "controller":
                yield item, labels, container["args"]


def network_lets_the_controller_work(items, _):
    """It reaches the service, the API server's ports, and the ports of its URLs."""
    policies = of_kind(items, "NetworkPolicy")
    for item, labels, args in controllers(items) if policies else ():
        for _server, _pod, serving, _container in servers(items):
            for policy in policies_of(policies, serving):
                if not lets(policy["spec"]["ingress"], "from", "grpc", labels):
                    yield f"{name_of(item)}: {name_of(policy)} keeps it from the servers"
            for policy in policies_of(policies, labels):
                if not lets(policy["spec"]["egress"], "to", "grpc", serving):
                    yield f"{name_of(item)}: {name_of(policy)} does not let it out to the servers"
        config = "".join(text for other in of_kind(items, "ConfigMap")
                         if other["metadata"]["name"] == "mulligan-controller-receivers"
                         for text in other["data"].values())
        urls = re.findall(r"\burl: [\"']?(https?://[^\s\"']+)", config)
        for word in args:
            if word.startswith(("--logs=loki=", "--peers=")):
                urls += word.removeprefix("--logs=loki=").removeprefix("--peers=").split(",")
        wanted = {443, 6443} | {urlsplit(url).port or (443 if url.startswith("https") else 80) for url in urls}
        for policy in policies_of(policies, labels):
            open_ports = {each["port"] for rule in policy["spec"]["egress"] if "to" not in rule
                          for each in rule["ports"]}
            for port in sorted(wanted - open_ports):
                yield f"{name_of(policy)}: does not let out to port {port}"


# Ports by flag, with the port that a controller listens on without the flag.
LISTENS = {"mulligan": {"--listen-address": ("grpc", None), "--admin-address": ("admin", None)},
           "controller": {"--metrics-address": ("metrics", 8443), "--health-address": ("health", 8081),
                          "--webhook-address": ("webhook", None)}}


def network_opens_what_listens(items, _):
    """Pods name exactly the ports that their flags open; policies let in all of these but
    the kubelet's, and no others."""
    policies = of_kind(items, "NetworkPolicy")
    for item, pod, labels in pods(items):
        for container in pod["containers"] if item["kind"] == "Deployment" else ():
            wanted = {}
            for flag, (name, default) in LISTENS[container["name"]].items():
                address = check_deploy.argument(container, flag)
                if address or default:
                    wanted[name] = int(address.rpartition(":")[2]) if address else default
            named = {each["name"]: each["containerPort"] for each in container["ports"]}
            if named != wanted:
                yield f"{name_of(item)}: names the ports {named}, listens on {wanted}"
            let_in = {port["port"] for policy in policies_of(policies, labels)
                      for rule in policy["spec"]["ingress"] for port in rule.get("ports", ())}
            # deploy/controller/network-policy.yaml is the same without webhooks.
            if policies and let_in - ({"webhook"} - named.keys()) != named.keys() - {"health"}:
                yield f"{name_of(item)}: listens on {sorted(named)}, let in are {sorted(let_in)}"


def roles_are_bound(items, _):
    """Bindings name a role and an account of the set."""
    roles = {(item["kind"], item["metadata"]["name"])
             for item in of_kind(items, "Role", "ClusterRole")}
    accounts = {item["metadata"]["name"] for item in of_kind(items, "ServiceAccount")}
    for item in of_kind(items, "RoleBinding", "ClusterRoleBinding"):
        reference = item["roleRef"]["kind"], item["roleRef"]["name"]
        if reference not in roles:
            yield f"{name_of(item)}: {' '.join(reference)} is not in the set"
        for subject in item["subjects"]:
            if subject["name"] not in accounts:
                yield f"{name_of(item)}: ServiceAccount {subject['name']} is not in the set"


# Writes that flags need, by resource.
QUESTIONS = {("tokenreviews", "create"), ("subjectaccessreviews", "create")}
EVENTS = {("events", "create"), ("events", "patch")}
RECORDS = {("retryrecords", verb) for verb in ("create", "update", "delete")}
LEASES = {("leases", "create"), ("leases", "update")}
POLICIES = {("configmaps", "create"), ("configmaps", "update"), ("retrypolicies/status", "patch")}
CHECKS = {("workloads/status", "patch"), ("admissionchecks/status", "patch")}
NODES = {"--node-action=condition": {("nodes/status", "patch")}, "--node-action=taint": {("nodes", "patch")}}
READS = {"get", "list", "watch"}


def acting(root):
    """Returns the writes of acting; TestRightsAreThoseOfTheMode compares act.yaml with the kinds."""
    documents = yaml.safe_load_all((root / "deploy/controller/act.yaml").read_text())
    return {(resource, verb) for item in documents if item["kind"] == "ClusterRole"
            for rule in item["rules"] for resource in rule["resources"]
            for verb in set(rule["verbs"]) - READS}


def written(items):
    """Returns {namespace: {(resource, verb)}} that bound roles may write; "" is cluster-wide."""
    rules = {(item["kind"], item["metadata"]["name"]): item["rules"]
             for item in of_kind(items, "Role", "ClusterRole")}
    found = {}
    for item in of_kind(items, "RoleBinding", "ClusterRoleBinding"):
        place = item["metadata"].get("namespace", "mulligan") if item["kind"] == "RoleBinding" else ""
        for rule in rules.get((item["roleRef"]["kind"], item["roleRef"]["name"]), ()):
            found.setdefault(place, set()).update(
                (resource, verb) for resource in rule.get("resources", ())
                for verb in set(rule["verbs"]) - READS)
    return found


def rights_fit_the_mode(items, _):
    """A controller may write exactly what its flags need, where they need it."""
    for item, _labels, args in controllers(items):
        given = dict(word.partition("=")[::2] for word in args)
        flags = set(args)
        act, places = acting(ROOT), lambda flag: [each for each in given.get(flag, "").split(",") if each]
        everywhere, own, watched = set(QUESTIONS), set(), places("--watch-namespaces")
        # Where it handles workloads: everywhere, or in those namespaces.
        looked = {place: set() for place in watched or [""]}
        for rights in looked.values():
            rights |= set() if "--events=false" in flags else EVENTS
            rights |= set() if "--read-only" in flags else RECORDS
            rights |= act if "--mode=act" in flags else set()
        for place in places("--act-namespaces"):
            looked.setdefault(place, set()).update(act)
        if "--leader-elect=false" not in flags:
            own |= LEASES
        if "--retry-policies" in flags:
            own, everywhere = own | {each for each in POLICIES if each[0] == "configmaps"}, \
                everywhere | {each for each in POLICIES if each[0] != "configmaps"}
        everywhere |= CHECKS if "--admission-check" in flags else set()
        if "--webhook-secret" in given:
            own, everywhere = own | {("secrets", "update")}, \
                everywhere | {("mutatingwebhookconfigurations", "update")}
        if "--mode=act" in flags:
            for flag in flags & NODES.keys():
                everywhere |= NODES[flag]
        if any(flag.startswith("--node-action=") for flag in flags) and "--events=false" not in flags:
            looked.setdefault("default", set()).update(EVENTS)
        wanted = {"": everywhere, "mulligan": own}
        for place, rights in looked.items():
            wanted[place] = wanted.get(place, set()) | rights
        found = written(items)
        for place in sorted(wanted.keys() | found.keys()):
            where = f" in {place}" if place else ""
            for resource, verb in sorted(found.get(place, set()) - wanted.get(place, set())):
                yield f"{name_of(item)}: may {verb} {resource}{where}, which its flags do not need"
            for resource, verb in sorted(wanted.get(place, set()) - found.get(place, set()) - found.get("", set())):
                yield f"{name_of(item)}: may not {verb} {resource}{where}, which its flags need"


def logs_are_read_where_that_is_asked_for(items, _):
    given = {word for _item, _labels, args in controllers(items) for word in args}
    for item in of_kind(items, "Role", "ClusterRole") if given else ():
        for rule in item["rules"]:
            if "pods/log" in rule.get("resources", ()) and "--logs=kubernetes" not in given:
                yield f"{name_of(item)}: pods/log without --logs=kubernetes"


RULES = (flags_exist, controller_flags_exist, replay_flags_exist,
         callers_are_let_in, callers_are_named, pods_are_restricted,
         probes_ask_the_admin_port, references_exist, issuers_exist,
         certificates_name_the_service, selectors_select, network_is_closed,
         network_lets_the_controller_work, network_opens_what_listens, roles_are_bound, rights_fit_the_mode,
         logs_are_read_where_that_is_asked_for)


def problems(items, help_texts):
    for rule in RULES:
        yield from rule(items, help_texts)
