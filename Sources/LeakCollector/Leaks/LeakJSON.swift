internal import LeakPlatform
internal import LeakGrammar
internal import LeakCauses
internal import LeakMessage
internal import LeakStore

// The responses of the API, version 1: one function for each schema that `/openapi.json` describes.

extension JSONWriter {
    mutating func fields(of page: LeakPage) {
        array("leaks") { writer in
            for row in page.leaks { writer.object { $0.fields(of: row) } }
        }
        field("next", page.next)
        field("total", page.total)
        field("reports", page.reports)
        field("known", totals: page.known)
        field("resolved", totals: page.resolved)
        field("ignored", totals: page.ignored)
        field("slow", totals: page.slow)
        field("resolved_seen", totals: page.resolvedSeen)
    }

    mutating func field(_ name: String, totals: LeakTotals) {
        object(name) { writer in
            writer.field("leaks", totals.leaks)
            writer.field("reports", totals.reports)
        }
    }

    mutating func fields(of row: LeakRow) {
        let leak = row.identity
        field("id", leak.id.description)
        field("app", leak.app)
        field("environment", leak.environment)
        field("kind", leak.kind)
        field("state", row.state.rawValue)
        field("known", match: row.known)
        field("standing", row.decisionStatus)
        field("fix", row.fix)
        field("is_new", row.isNew)
        field("new_in_build", row.newInBuild)
        field("title", leak.title)
        field("class", leak.className)
        field("module", leak.module)
        field("stack", leak.stack)
        field("children", leak.children)
        if leak.cycle.isEmpty { nullField("cycle") } else { field("cycle", leak.cycle) }
        field("reports", row.reports)
        field("freed", row.freed)
        field("installs", row.installs)
        field("impact", row.impact)
        field("alive_max", row.maxAlive)
        field("retained_bytes", row.retainedBytes)
        field("retained_at_once_bytes", row.retainedAtOnce)
        field("cost_bytes", row.cost)
        field("lived_ms", percentiles: row.lived)
        object("versions") { writer in
            writer.field("first", row.firstVersion)
            writer.field("last", row.lastVersion)
        }
        time("first_seen", row.firstSeen)
        time("last_seen", row.lastSeen)
        object("trend") { writer in
            writer.field("by", Trend.Step.day.rawValue)
            writer.field("from", CivilDate(days: Int64(row.trendFrom)).text)
            writer.array("counts") { for count in row.trend { $0.element(count) } }
        }
        object("grouped_by") { writer in
            writer.field("version", leak.groupingKey.version)
            writer.field("class", leak.groupingKey.className)
            writer.field("stack", leak.groupingKey.stack)
            writer.field("mangled", leak.groupingKey.isMangled)
        }
        field("quality", leak.quality.rawValue)
        field("share", rate: row.rate)
        field("share_version", row.rateVersion)
        field("previous_share", rate: row.previousVersionRate)
    }

    private mutating func field(_ name: String, percentiles: Percentiles?) {
        object(name) { writer in
            writer.field("p50", percentiles?.p50)
            writer.field("p90", percentiles?.p90)
        }
    }

    /// Writes `null` if no report matches a known leak.
    private mutating func field(_ name: String, match: KnownMatch?) {
        guard let match else { return nullField(name) }
        object(name) { writer in
            writer.field("id", match.rule.id)
            writer.field("reason", match.rule.reason)
            writer.field("source", match.rule.source)
            writer.array("systems") { writer in
                for range in match.rule.systems {
                    writer.object {
                        $0.field("os", range.name)
                        $0.field("from", range.from?.description)
                        $0.field("before", range.before?.description)
                    }
                }
            }
            writer.field("reports", match.reports)
            writer.field("elsewhere", match.reportsElsewhere)
        }
    }

    /// Writes `null` if no checks of the class were counted.
    private mutating func field(_ name: String, rate: ReportsAndChecks?) {
        guard let rate else { return nullField(name) }
        object(name) { writer in
            writer.field("reports", rate.reports)
            writer.field("checks", rate.checks)
        }
    }

    private mutating func field(_ name: String, reasons: LeakReasons) {
        guard !reasons.isEmpty else { return nullField(name) }
        object(name) { writer in
            writer.field("explained", reasons.explanationCount)
            writer.field("without_path", reasons.pathlessCount)
            writer.field("bytes_at_least", reasons.lowerBoundCount)
            writer.field("bytes_median", reasons.medianBytes)
            writer.field("bytes_total", reasons.medianBytes == nil ? nil : min(reasons.bytes, 1 << 53))
            writer.array("variants") { array in
                for variant in reasons.variants {
                    array.object { $0.fields(of: variant) }
                }
            }
        }
    }

    private mutating func fields(of variant: LeakReasons.Variant) {
        field("count", variant.explanationCount)
        field("proven", variant.provenCount)
        fields(of: variant.path, variant.cause, isProven: variant.provenCount > 0)
        array("closures") { array in
            for set in variant.closureSets {
                array.object { writer in
                    writer.field("count", set.explanationCount)
                    writer.array("functions") { array in
                        for closure in set.closures { array.object { $0.fields(of: closure) } }
                    }
                }
            }
        }
    }

    /// Writes the causes that leaks share.
    mutating func fields(of sharedCauses: SharedCauses, app: AppScope) {
        field("app", app.app)
        field("environment", app.environment)
        field("total", sharedCauses.totalLeakCount)
        field("leaks", sharedCauses.leakCount)
        field("explained", sharedCauses.explainedLeakCount)
        field("cause_count", sharedCauses.causeCount)
        array("causes") { array in
            for cause in sharedCauses.causes { array.object { $0.fields(of: cause) } }
        }
    }

    private mutating func fields(of sharedCause: SharedCauses.Cause) {
        field("title", sharedCause.title)
        field("count", sharedCause.explanationCount)
        field("proven", sharedCause.provenCount)
        field("cost_bytes", sharedCause.bytes)
        fields(of: sharedCause.path, sharedCause.mistake, isProven: sharedCause.provenCount > 0)
        field("leak_count", sharedCause.leaks.count)
        array("leaks") { array in
            for (row, count) in sharedCause.leaks.prefix(SharedCauses.maxListedLeaks) {
                array.object {
                    $0.field("id", row.identity.id.description)
                    $0.field("title", row.identity.title)
                    $0.field("count", count)
                    $0.field("installs", row.installs)
                    $0.field("retained_bytes", row.retainedBytes)
                    $0.field("cost_bytes", row.cost)
                }
            }
        }
    }

    private mutating func fields(of path: RetainPath, _ cause: LeakCause?, isProven: Bool) {
        field("text", path.description)
        field("fingerprint", path.fingerprint)
        field("cause_key", path.causeKey)
        field("is_cycle", path.isCycle)
        field("length", path.fullLength ?? path.references.count)
        array("references") { array in
            for reference in path.references {
                array.object {
                    $0.field("owner", reference.owner)
                    $0.field("field", reference.field)
                    $0.field("kind", reference.kind.rawValue)
                    $0.field("closure", reference.isClosure)
                    $0.field("suspected", reference.isSuspected)
                }
            }
        }
        guard let cause else { return nullField("cause") }
        object("cause") {
            $0.field("identifier", cause.identifier)
            $0.field("name", cause.name)
            $0.field("explanation", cause.explanation)
            $0.field("remedy", cause.remedy)
            $0.field("is_certain", cause.isCertain && isProven)
        }
    }

    private mutating func fields(of closure: StoredClosures.Closure) {
        switch closure {
        case .named(let call):
            field("name", call.function)
            field("file", call.file)
            field("line", call.line)
            nullField("place")
        case .imageOffset(let site):
            for name in ["name", "file", "line"] { nullField(name) }
            field("place", site.element)
        }
    }

    mutating func fields(of detail: LeakDetail, _ relatedLeaks: RelatedLeaks) {
        fields(of: detail.row)
        array("by_version") { writer in
            for count in detail.versions {
                writer.object {
                    $0.field("version", count.version)
                    $0.field("build", count.build)
                    $0.field("reports", count.reports)
                    $0.field("installs", count.installs)
                    $0.field("version_installs", count.versionInstalls)
                }
            }
        }
        counts("by_system", of: "system", detail.systems)
        counts("by_model", of: "model", detail.models)
        object("trend_by_version") { $0.fields(of: detail.trend) }
        array("siblings") { writer in
            for sibling in detail.siblings {
                writer.object {
                    $0.field("id", sibling.id.description)
                    $0.field("stack", sibling.stack)
                    $0.field("reports", sibling.reports)
                }
            }
        }
        field("kept_reports", detail.samples)
        field("why", reasons: LeakReasons(detail))
        array("lived") { writer in
            for range in detail.lived {
                writer.object {
                    $0.field("from_ms", range.from)
                    $0.field("to_ms", range.to)
                    $0.field("count", range.count)
                }
            }
        }
        array("history") { writer in
            for (index, decision) in detail.history.enumerated() {
                writer.object {
                    $0.fields(of: decision)
                    $0.field("fix", detail.fixes[index])
                }
            }
        }
        array("closest") { writer in
            for close in relatedLeaks.closest {
                writer.object {
                    $0.field("id", close.leak.id.description)
                    $0.field("title", close.leak.title)
                    $0.field("class", close.leak.className)
                    $0.field("difference", close.difference)
                    $0.field("reports", close.leak.reports)
                }
            }
        }
        guard let successor = relatedLeaks.successor else { return nullField("successor") }
        object("successor") { writer in
            writer.field("id", successor.identity.id.description)
            writer.field("title", successor.identity.title)
            writer.field("reports", successor.outline?.reports ?? 0)
        }
    }

    mutating func fields(of leakClass: LeakClass, app: AppScope) {
        field("class", leakClass.name)
        field("app", app.app)
        field("environment", app.environment)
        field("modules", leakClass.modules)
        field("total", leakClass.total)
        field("reports", leakClass.reports)
        field("freed", leakClass.freed)
        field("installs", leakClass.installs)
        field("lived_ms", percentiles: leakClass.lived)
        time("first_seen", leakClass.firstSeen)
        time("last_seen", leakClass.lastSeen)
        array("leaks") { writer in
            for row in leakClass.leaks { writer.object { $0.fields(of: row) } }
        }
        array("related") { writer in
            for related in leakClass.related {
                writer.object {
                    $0.field("class", related.name)
                    $0.field("leaks", related.leaks)
                    $0.field("reports", related.reports)
                }
            }
        }
    }

    private mutating func counts(_ name: String, of value: String, _ counts: [LeakDetail.ValueCount]) {
        array(name) { writer in
            for count in counts {
                writer.object {
                    $0.field(value, count.value)
                    $0.field("reports", count.reports)
                }
            }
        }
    }

    mutating func fields(of trend: Trend) {
        field("by", trend.step.rawValue)
        switch trend.step {
        case .day: field("from", CivilDate(days: Int64(trend.from)).text)
        case .hour: time("from", Int64(trend.from) * 3_600_000)
        }
        array("versions") { writer in
            for series in trend.versions {
                writer.object { writer in
                    writer.field("version", series.version)
                    writer.array("counts") { for count in series.counts { $0.element(count) } }
                }
            }
        }
    }

    mutating func fields(of samples: [SampleReport]) {
        array("reports") { writer in
            for sample in samples {
                writer.object { writer in
                    writer.field("place", sample.reason.rawValue)
                    writer.time("at", sample.at)
                    writer.field("app", sample.origin.app)
                    writer.field("version", sample.origin.version)
                    writer.field("build", sample.origin.build)
                    writer.field("system", sample.origin.system)
                    writer.field("model", sample.origin.model)
                    writer.field("install", sample.origin.install)
                    writer.field("user", sample.origin.user)
                    writer.field("report", json: sample.body)
                }
            }
        }
    }

    mutating func time(_ name: String, _ milliseconds: Int64) {
        field(name, CivilTime(milliseconds: milliseconds).rfc3339)
    }
}
