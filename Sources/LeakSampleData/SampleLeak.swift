internal import LeakMessage
internal import LeakSeededRandom

/// A leak of a sample app: how often it happens in each release, and the content of its reports.
struct SampleLeak: Sendable {
    struct Decision: Sendable {
        enum Kind {
            case resolve, ignore
        }

        var kind: Kind
        /// The release on whose day the decision is made, and in which the leak is fixed.
        var release: Int
        var note: String
    }

    /// The class, with its module.
    let className: String
    /// Leaks per check, by release.
    let rates: [Double]
    private(set) var decision: Decision?
    private let feature: String
    private let stack: [String]
    private let kind: LeakReport.Kind
    private let reason: String
    private var explanation: RetainExplanation?
    private var isFreedLate = false

    private init(
        _ type: String, of feature: String, module: String, rates: [Double],
        explanation: RetainExplanation? = nil
    ) {
        self.feature = feature
        self.rates = rates
        self.explanation = explanation
        className = "\(module).\(feature)\(type)"
        let screen = "\(module).\(feature)ViewController"
        let containers = ["UITabBarController", "UINavigationController"]
        switch type {
        case "ViewController", "PageController":
            (kind, stack, reason) = (.viewController, containers + [className], "dismissed")
        case "Cell":
            (kind, stack, reason) = (.view, [screen, "UICollectionView", className], "its screen closed")
        default:
            (kind, stack, reason) = (.object, containers + [screen, className], "its screen closed")
        }
    }

    /// A leak of the system that the list of known leaks describes.
    private init(knownWithRates rates: [Double]) {
        self.rates = rates
        feature = "Alert"
        className = "_UIAlertControllerTextField"
        stack = ["UIAlertController", className]
        (kind, reason) = (.view, "its screen closed")
    }

    // MARK: Leaks with a history

    /// Returns the leaks with a history. The leak whose screen is opened most often is the first.
    static func withHistory(module: String, features: [String], releaseCount: Int) -> [SampleLeak] {
        let newest = releaseCount - 1
        func rates(_ rate: Double, newest newestRate: Double? = nil) -> [Double] {
            (0..<releaseCount).map { $0 == newest ? newestRate ?? rate : rate }
        }
        let checkout = SampleLeak(
            "ViewController", of: features[0], module: module, rates: rates(0.03),
            explanation: .closure(of: "\(module).\(features[0])ViewController", "onPaid", bytes: 48_200))
        let photo = SampleLeak(
            "Loader", of: features[1], module: module, rates: rates(0.012),
            explanation: .cache(
                "\(module).ImageCache", of: "\(module).\(features[1])Loader", bytes: 6_340_000))
        let new = SampleLeak(
            "ViewController", of: features[2], module: module, rates: rates(0, newest: 0.04),
            explanation: .owner(
                "\(module).\(features[2])DataSource", of: "\(module).\(features[2])ViewController",
                bytes: 22_400))
        let worse = SampleLeak(
            "ViewModel", of: features[3], module: module, rates: rates(0.005, newest: 0.03),
            explanation: .closure(of: "\(module).\(features[3])ViewModel", "onChange", bytes: 9_100))
        var fixed = SampleLeak(
            "ViewController", of: features[4], module: module, rates: rates(0.03, newest: 0),
            explanation: .owner(
                "\(module).\(features[4])Presenter", of: "\(module).\(features[4])ViewController",
                bytes: 18_700))
        fixed.decision = Decision(
            kind: .resolve, release: newest, note: "The presenter kept its screen. Now it is weak.")
        // Fixed in the release before the newest one, and back in the newest one.
        let hasLeak = (0..<releaseCount).map { $0 == newest || $0 < newest - 1 }
        var regressed = SampleLeak(
            "ViewController", of: features[5], module: module, rates: hasLeak.map { $0 ? 0.03 : 0 },
            explanation: .timer(of: "\(module).\(features[5])ViewController", bytes: 31_000))
        if newest > 1 {
            regressed.decision = Decision(
                kind: .resolve, release: newest - 1, note: "The timer is invalidated when the screen closes.")
        }
        var late = SampleLeak("Downloader", of: features[6], module: module, rates: rates(0.02))
        late.isFreedLate = true
        var ignored = SampleLeak("MenuController", of: features[7], module: module, rates: rates(0.01))
        ignored.decision = Decision(
            kind: .ignore, release: newest / 2, note: "Only our testers open this menu.")
        return [
            checkout, photo, worse, new, fixed, regressed, late, SampleLeak(knownWithRates: rates(0.01)),
            ignored,
        ]
    }

    // MARK: Rare leaks

    /// The ends of the class names of rare leaks. No leak with a history uses them.
    private static let types = [
        "PageController", "Model", "Cell", "Coordinator", "Presenter", "Store", "Animator", "Form",
    ]

    /// - Parameter number: the number among the rare leaks of the app, which determines the class.
    init(
        rare number: Int, module: String, features: [String], releaseCount: Int,
        random: inout SeededRandom
    ) {
        // The first features, which have the leaks with a history, come last. When all pairs of feature and type are used, the
        // names of the features get a number.
        let round = number / features.count
        let suffix = round < Self.types.count ? "" : "\(round / Self.types.count + 1)"
        let feature = features[(number + 8) % features.count] + suffix
        let type = Self.types[(round + number) % Self.types.count]
        let first = random.chance(0.6) ? 0 : random.below(releaseCount)
        let last = random.chance(0.7) ? releaseCount - 1 : random.number(first...releaseCount - 1)
        let rate = random.element(of: [0.004, 0.004, 0.006, 0.01])
        let name = "\(module).\(feature)\(type)"
        let bytes = random.number(400...60_000)
        let explanation: RetainExplanation? =
            switch random.below(8) {
            case 0:
                .closure(of: name, random.element(of: ["onClose", "completion", "handler"]), bytes: bytes)
            case 1: .owner("\(module).\(feature)Delegate", of: name, bytes: bytes)
            case 2: .timer(of: name, bytes: bytes)
            case 3: .cache("\(module).ScreenCache", of: name, bytes: bytes)
            default: nil
            }
        self.init(
            type, of: feature, module: module,
            rates: (0..<releaseCount).map { (first...last).contains($0) ? rate : 0 },
            explanation: explanation)
    }

    // MARK: Reports

    /// Returns the report of objects that leaked, and a second report if the objects were freed later.
    func reports(count: Int, at time: WireTime, random: inout SeededRandom) -> [LeakReport] {
        var report = LeakReport()
        report.event = .leak
        report.id = SightingID.make(at: time, using: &random)
        report.at = time
        report.kind = kind
        report.className = className
        report.stack = stack
        report.reason = reason
        report.waitedMilliseconds = 1_000
        report.alive = random.number(count...count + 2)
        report.count = count
        report.log = ["opened \(feature)", "closed \(feature)"]
        report.keys = [CustomKey("screen", .string(feature))]
        report.explanation = explanation
        if let cost = explanation?.cost {
            report.explanation?.cost?.bytes = cost.bytes * random.number(80...140) / 100
        }
        guard isFreedLate else { return [report] }
        var freed = report
        freed.event = .freed
        freed.livedMilliseconds = random.number(1_500...20_000)
        freed.at = WireTime(milliseconds: time.milliseconds + Int64(freed.livedMilliseconds ?? 0))
        return [report, freed]
    }
}

extension RetainExplanation {
    /// Returns a cycle: a property of the object holds a closure that captures the object.
    fileprivate static func closure(of name: String, _ property: String, bytes: Int) -> RetainExplanation {
        cycle(
            [RetainReference(owner: name, field: property, kind: .property, isClosure: true)], of: name,
            bytes: bytes)
    }

    /// Returns a cycle: the object owns another object, which owns the object.
    fileprivate static func owner(_ owner: String, of name: String, bytes: Int) -> RetainExplanation {
        cycle(
            [
                RetainReference(owner: name, field: "helper", kind: .property),
                RetainReference(owner: owner, field: "screen", kind: .property),
            ], of: name, bytes: bytes)
    }

    private static func cycle(_ references: [RetainReference], of name: String, bytes: Int)
        -> RetainExplanation
    {
        explanation(RetainPath(references: references, target: name, isCycle: true), bytes: bytes)
    }

    /// Returns a path from a cache that keeps the object.
    fileprivate static func cache(_ cache: String, of name: String, bytes: Int) -> RetainExplanation {
        var result = explanation(
            RetainPath(
                references: [RetainReference(owner: cache, field: "entries[*]", kind: .element)],
                target: name, isCycle: false),
            bytes: bytes)
        result.holder = Holder(kind: .cache)
        return result
    }

    /// Returns a cycle: the object owns a repeating timer, whose closure captures the object.
    fileprivate static func timer(of name: String, bytes: Int) -> RetainExplanation {
        cycle(
            [
                RetainReference(owner: name, field: "timer", kind: .property),
                RetainReference(
                    owner: "Foundation.Timer", field: "_fire", kind: .property, isClosure: true),
            ], of: name, bytes: bytes)
    }

    private static func explanation(_ path: RetainPath, bytes: Int) -> RetainExplanation {
        var explanation = RetainExplanation()
        explanation.type = path.target
        explanation.path = path
        explanation.confidence = .proven
        explanation.cost = Cost(bytes: bytes, objects: max(bytes / 800, 1), isAtLeast: false)
        return explanation
    }
}
