internal import LeakStatistics
import LeakStore

/// The newest versions of an app, each compared with the version before it, as ``ComparePage`` compares two versions.
struct ReleaseComparisons {
    /// Maximum number of versions that are compared; an older current release is compared too. There is a limit because each
    /// comparison reads all leaks of two versions.
    static let limit = 25
    /// The comparison of each compared version with the version before it, by version.
    private var checks: [String: ReleaseCheck] = [:]

    init() {}

    /// - Parameters:
    ///   - releases: newest version first.
    ///   - now: milliseconds since 1970.
    init(of app: AppScope, _ releases: [ReleaseSummary], from reader: any StoreReader, now: Int64)
        throws(StoreError)
    {
        guard let key = app.key else { return }
        for (index, release) in releases.enumerated() where index < Self.limit || release.isCurrent {
            var query = ReleaseCheckQuery(
                app: key.name, environment: key.environment, version: release.version)
            query.listsLeaks = false
            do throws(StoreError) {
                checks[release.version] = try reader.releaseCheck(query, now: now)
            } catch  where error.reason == .locked {
                // The newest counts cannot be read now, so the other versions are not compared.
                return
            }
        }
    }

    /// The comparison of a version with the version before it; `nil` if it was not compared.
    subscript(release: ReleaseSummary) -> ReleaseCheck? {
        get { checks[release.version] }
        set { checks[release.version] = newValue }
    }
}

extension Proportion {
    static let intervalConfidence = 0.95

    /// Returns the confidence interval of a share whose trials depend on each other, because trials on one device are alike.
    ///
    /// - Parameter effect: the design effect of the counts; `nil` if it is not known.
    /// - Returns: `nil` if `effect` is `nil`.
    func interval(effect: Double?) -> ClosedRange<Double>? {
        effect.map { wilsonInterval(confidence: Self.intervalConfidence, effect: $0) }
    }
}

extension ReleaseCheck.Side {
    /// The confidence interval of the share of leak-free sessions; `nil` without sessions, or if too few devices sent them.
    var leakFreeInterval: ClosedRange<Double>? {
        guard sessions.trials > 0 else { return nil }
        return Proportion(events: sessions.trials - sessions.events, trials: sessions.trials)
            .interval(effect: sessionsEffect)
    }

    /// The confidence interval of leaks per check.
    ///
    /// `nil` without checks, if too few devices made them, or if there are more reports than checks: some reports are then of classes
    /// without checks.
    var leaksPerCheckInterval: ClosedRange<Double>? {
        guard checks > 0, reports <= checks else { return nil }
        return Proportion(events: reports, trials: checks).interval(effect: reportsEffect)
    }
}

extension ReleaseSummary {
    /// Returns the confidence interval of ``leakFreeSessions``; `nil` without sessions, or if too few devices sent them.
    func leakFreeInterval(_ check: ReleaseCheck) -> ClosedRange<Double>? {
        guard sessions > 0 else { return nil }
        return Proportion(events: sessions.saturated(adding: -leakySessions), trials: sessions)
            .interval(effect: check.version.sessionsEffect)
    }

    /// Returns the confidence interval of leaks per check.
    ///
    /// - Returns: `nil` without checks, if too few devices made them, or if there are more reports than checks: some reports
    ///   are then of classes without checks.
    func leaksPerCheckInterval(_ check: ReleaseCheck) -> ClosedRange<Double>? {
        guard checks > 0, reports <= checks else { return nil }
        return Proportion(events: reports, trials: checks).interval(effect: check.version.reportsEffect)
    }
}

/// Texts of confidence intervals, each with the unit and decimals of the number that it belongs to.
enum IntervalText {
    static func percent(_ interval: ClosedRange<Double>) -> HTML {
        "\(percent(interval.lowerBound)) to \(percent(interval.upperBound))"
    }

    static func perThousand(_ interval: ClosedRange<Double>) -> HTML {
        "\(perThousand(interval.lowerBound)) to \(perThousand(interval.upperBound))"
    }

    private static func percent(_ share: Double) -> Percentage {
        Percentage(Int(share * 1e9), of: 1_000_000_000)
    }

    private static func perThousand(_ rate: Double) -> Decimal {
        Decimal(tenths: Int(saturating: rate * 10_000))
    }
}
