// What the admin port answers, without the HTTP around it.
#ifndef MULLIGAN_SERVER_ADMIN_ADMIN_PAGES_H_
#define MULLIGAN_SERVER_ADMIN_ADMIN_PAGES_H_

#include <string>
#include <string_view>

#include "server/admin/readiness.h"
#include "server/observe/metrics.h"
#include "server/policies/snapshot.h"

namespace mulligan {

inline constexpr char kPlainText[] = "text/plain; charset=utf-8";

struct AdminResponse {
  int status = 200;
  std::string content_type;
  std::string body;
};

// The pages /metrics, /livez, /readyz, /policy and /buildinfo. Nothing here
// changes anything. What it is given outlives it. Safe to share.
class AdminPages {
 public:
  // `candidate` null: no policies are tried out.
  AdminPages(const Metrics& metrics, const SnapshotStore& snapshots,
             const Readiness& readiness,
             const SnapshotStore* candidate = nullptr)
      : metrics_(metrics),
        snapshots_(snapshots),
        readiness_(readiness),
        candidate_(candidate) {}

  // 404 for other paths, 405 for methods other than GET and HEAD (whose body
  // the transport leaves out).
  AdminResponse Handle(std::string_view method, std::string_view path) const;

 private:
  AdminResponse MetricsPage() const;
  AdminResponse LivePage() const;
  AdminResponse ReadyPage() const;
  // While nothing but the certificate may be in the way; says what to look at.
  AdminResponse ServingPage() const;
  AdminResponse PolicyPage() const;
  AdminResponse BuildInfoPage() const;

  const Metrics& metrics_;
  const SnapshotStore& snapshots_;
  const Readiness& readiness_;
  const SnapshotStore* const candidate_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMIN_ADMIN_PAGES_H_
