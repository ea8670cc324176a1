internal import LeakMessage
internal import LeakStore

extension JSONWriter {
    /// Writes an overview.
    ///
    /// - Parameter appOverviews: the overviews of single apps, if the overview covers several apps.
    mutating func fields(of overview: Overview, app: AppScope, appOverviews: [AppOverview]) {
        field("app", app.app)
        field("environment", app.environment)
        field("newest", release: overview.currentRelease)
        field("previous", release: overview.previousRelease)
        field("new_leaks", overview.newLeaks)
        field("new_titles", overview.newLeakTitles)
        field("regressed_leaks", overview.regressedLeaks)
        field("regressed_titles", overview.regressedLeakTitles)
        field("period", overview.period.rawValue)
        field("recent_reports", overview.recentReports)
        field("recent_installs", overview.recentInstalls)
        field("recent_leaks", overview.recentLeaks)
        field("leaks", overview.leaks)
        field("reports", overview.reports)
        field("known", totals: overview.known)
        field("resolved", totals: overview.resolved)
        field("ignored", totals: overview.ignored)
        field("slow", totals: overview.slow)
        array("dropped") { writer in
            for dropped in overview.dropped {
                writer.object {
                    $0.field("app", dropped.app)
                    $0.field("reason", dropped.reason)
                    $0.field("count", dropped.count)
                }
            }
        }
        fields(of: overview.overLimit)
        array("apps") { writer in
            for appOverview in appOverviews { writer.object { $0.fields(of: appOverview) } }
        }
    }

    private mutating func fields(of appOverview: AppOverview) {
        field("app", appOverview.app)
        field("newest", release: appOverview.overview.currentRelease)
        field("previous", release: appOverview.overview.previousRelease)
        field("new_leaks", appOverview.overview.newLeaks)
        field("regressed_leaks", appOverview.overview.regressedLeaks)
        field("recent_reports", appOverview.overview.recentReports)
    }

    private mutating func fields(of overLimitCounts: [OverLimitCount]) {
        array("beyond_limits") { writer in
            for overLimit in overLimitCounts {
                writer.object {
                    $0.field("app", overLimit.app.name)
                    $0.field("limit", overLimit.limit.rawValue)
                    $0.field("count", overLimit.count)
                }
            }
        }
    }

    private mutating func field(_ name: String, release: ReleaseSummary?) {
        guard let release else { return nullField(name) }
        object(name) { $0.fields(of: release) }
    }

    mutating func fields(of releases: [ReleaseSummary], _ comparisons: ReleaseComparisons, app: AppScope) {
        field("app", app.app)
        field("environment", app.environment)
        array("releases") { writer in
            for release in releases {
                writer.object {
                    $0.fields(of: release)
                    $0.fields(of: comparisons[release], of: release)
                }
            }
        }
    }

    /// Writes `null` for a release that was not compared.
    private mutating func fields(of check: ReleaseCheck?, of release: ReleaseSummary) {
        field("leak_free_interval", interval: check.flatMap(release.leakFreeInterval))
        field("leaks_per_check_interval", interval: check.flatMap(release.leaksPerCheckInterval))
        guard let check, let baseline = check.baseline else { return nullField("changes") }
        object("changes") { writer in
            writer.field("baseline", baseline.version)
            writer.field("enough_data", check.hasEnoughData)
            writer.field("new", check.newCount)
            writer.field("worse", check.worseCount)
            writer.field("worse_classes", check.worseClasses.count)
            writer.field("rare_classes_worse", check.isPoolWorse)
            writer.field("better", check.betterCount - check.fixedCount)
            writer.field("fixed", check.fixedCount)
            writer.field("back", check.backCount)
        }
    }

    mutating func field(_ name: String, interval: ClosedRange<Double>?) {
        guard let interval else { return nullField(name) }
        object(name) { writer in
            writer.field("from", interval.lowerBound)
            writer.field("to", interval.upperBound)
        }
    }

    /// - Parameter current: the current release of the app.
    mutating func fields(ofCurrent current: ReleaseSummary?, app: AppScope) {
        field("app", app.app)
        field("environment", app.environment)
        field("current", release: current)
    }

    private mutating func fields(of release: ReleaseSummary) {
        field("version", release.version)
        field("is_newest", release.isCurrent)
        field("is_pinned", release.isPinned)
        field("pinned_by", release.pin?.by)
        if let pin = release.pin { time("pinned_at", pin.at) } else { nullField("pinned_at") }
        if let adoption = release.adoption {
            object("adoption") { writer in
                writer.field("share", adoption.share)
                writer.field("unit", adoption.isOfReports ? "reports" : "sessions")
                writer.field("count", adoption.count)
                writer.field("total", adoption.total)
                writer.time("until", adoption.until)
            }
        } else {
            nullField("adoption")
        }
        field("builds", release.builds)
        field("reports", release.reports)
        field("leaks", release.leaks)
        field("new_leaks", release.newLeaks)
        field("regressed_leaks", release.regressedLeaks)
        field("installs", release.installs)
        field("sessions", release.sessions)
        field("leaky_sessions", release.leakySessions)
        field("leak_free_sessions", release.leakFreeSessions)
        field("checks", release.checks)
        time("first_seen", release.firstSeen)
        time("last_seen", release.lastSeen)
    }

    mutating func fields(
        of apps: [(id: String, versions: [String])], environment: String, environments: [String]
    ) {
        field("environment", environment)
        field("environments", environments)
        array("apps") { writer in
            for app in apps {
                writer.object {
                    $0.field("id", app.id)
                    $0.field("versions", app.versions)
                }
            }
        }
    }
}
