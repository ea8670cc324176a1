internal import LeakStatistics
import LeakStore

/// The newest versions of an app, each compared with the version before it, as ``ComparePage`` compares two versions.
struct ReleaseComparisons {
    /// Number of versions that are compared, besides the current release. A comparison reads all leaks of two versions.
    static let limit = 25
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

    subscript(release: ReleaseSummary) -> ReleaseCheck? {
        get { checks[release.version] }
        set { checks[release.version] = newValue }
    }
}

extension Proportion {
    static let intervalConfidence = 0.95

    /// Returns the confidence interval of a share whose trials depend on each other.
    ///
    /// - Parameter effect: the design effect of the counts; `nil` if it is not known.
    /// - Returns: `nil` if `effect` is `nil`.
    func interval(effect: Double?) -> ClosedRange<Double>? {
        effect.map { wilsonInterval(confidence: Self.intervalConfidence, effect: $0) }
    }
}

extension ReleaseSummary {
    /// Returns the interval of ``leakFreeSessions``; `nil` without sessions, and if too few devices sent them.
    func leakFreeInterval(_ check: ReleaseCheck) -> ClosedRange<Double>? {
        guard sessions > 0 else { return nil }
        return Proportion(events: sessions.saturated(adding: -leakySessions), trials: sessions)
            .interval(effect: check.version.sessionsEffect)
    }

    /// Returns the interval of leaks per check; `nil` without checks, if too few devices made them, and if there are more
    /// reports than checks, because some reports are then of classes without checks.
    func leaksPerCheckInterval(_ check: ReleaseCheck) -> ClosedRange<Double>? {
        guard checks > 0, reports <= checks else { return nil }
        return Proportion(events: reports, trials: checks).interval(effect: check.version.reportsEffect)
    }
}

/// An interval with the same unit and decimals as the number it belongs to.
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
