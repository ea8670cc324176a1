/// Many submissions added up, so that the database is touched once per thing counted and not once per report.
///
/// Everything is named by its index in one of the arrays here; what exists in the database is no matter yet.
package struct Tally {
    package struct App {
        package var name: String
        /// Arrival of the latest submission.
        package var lastSeen: Int64
        package var reports = 0
        package var freed = 0
        package var dropped: [ByteText: Int] = [:]
    }

    package struct Release {
        package var app: Int
        package var version: String
        package var span: Span
        package var reports = 0
        package var freed = 0
        package var sessions = 0
        package var leakySessions = 0
        package var checks: [ByteText: Int] = [:]
    }

    package struct Build {
        package var release: Int
        /// Empty without one.
        package var name: String
    }

    package struct Leak {
        package var identity: LeakIdentity
        package var app: Int
        package var span: Span
        package var reports = 0
        package var freed = 0
        package var aliveAtMost: Int?
        /// Milliseconds, with how many objects lived that long.
        package var lived: [(milliseconds: Int, count: Int)] = []
        /// Reports of type `leak`, in order of arrival.
        package var sightings: [Place] = []
        /// Indices of ``Tally/cells``.
        package var cells: [Int] = []
    }

    /// One leak in one build.
    package struct Cell {
        package var leak: Int
        package var build: Int
        package var reports = 0
        package var freed = 0
        /// Of reports of type `leak`; a hash may stand here more than once.
        package var installs: [UInt64] = []
    }

    /// Ten minutes of one app.
    package struct Slot {
        package var app: Int
        package var number: Int
        package var reports = 0
        package var installs: [UInt64] = []
    }

    /// Where reports come from; system and model are indices of ``Tally/texts``.
    package struct Source: Hashable {
        package var app: Int
        package var release: Int
        package var build: Int
        package var system: Int?
        package var model: Int?
    }

    /// Reports of type `leak` of one leak, from one source, in one hour.
    package struct Bundle {
        package var leak: Int
        package var source: Int
        package var hour: Int
        package var cell: Int
        package var reports = 0
    }

    /// A report, by where it stands.
    package struct Place {
        package var submission: Int
        package var sighting: Int
    }

    /// From the first time to the last.
    package struct Span {
        package var first: Int64
        package var last: Int64

        package init(_ time: Int64) { (first, last) = (time, time) }

        package mutating func widen(to time: Int64) {
            first = min(first, time)
            last = max(last, time)
        }
    }

    package private(set) var apps: [App] = []
    package private(set) var releases: [Release] = []
    package private(set) var builds: [Build] = []
    package private(set) var leaks: [Leak] = []
    package private(set) var cells: [Cell] = []
    package private(set) var slots: [Slot] = []
    package private(set) var sources: [Source] = []
    package private(set) var bundles: [Bundle] = []
    package private(set) var texts: [String] = []

    private var appIndices: [ByteText: Int] = [:]
    private var releaseIndices: [Pair<ByteText>: Int] = [:]
    private var buildIndices: [Pair<ByteText>: Int] = [:]
    private var leakIndices: [LeakID: Int] = [:]
    private var cellIndices: [Pair<Int>: Int] = [:]
    private var slotIndices: [Pair<Int>: Int] = [:]
    private var sourceIndices: [Source: Int] = [:]
    private var bundleIndices: [BundleKey: Int] = [:]
    private var textIndices: [ByteText: Int] = [:]

    private struct Pair<Name: Hashable>: Hashable {
        var owner: Int
        var name: Name
    }

    private struct BundleKey: Hashable {
        var leak: Int
        var source: Int
        var hour: Int
    }

    package init() {}

    /// - Parameter number: where the submission stands in the call.
    package mutating func add(_ submission: Submission, number: Int) {
        let arrival = submission.receivedAt
        let senders = submission.origins.map { (source: source($0, arrival), install: $0.installHash) }
        for index in submission.sightings.indices {
            let sighting = submission.sightings[index]
            guard senders.indices.contains(sighting.origin) else { continue }
            let sender = senders[sighting.origin]
            count(
                sighting, from: sender.source, sender.install,
                at: Place(submission: number, sighting: index))
        }
        for denominator in submission.denominators { count(denominator, arrival) }
        for dropped in submission.dropped where dropped.count > 0 {
            let app = app(dropped.app, arrival)
            apps[app].dropped[ByteText(dropped.reason), default: 0].addBounded(Total.bounded(dropped.count))
        }
    }

    private mutating func count(
        _ sighting: Submission.Sighting, from sourceIndex: Int, _ install: UInt64?, at place: Place
    ) {
        let count = Total.bounded(sighting.count)
        let source = sources[sourceIndex]
        let leak = leak(sighting.leak, source.app, sighting.at)
        leaks[leak].span.widen(to: sighting.at)
        releases[source.release].span.widen(to: sighting.at)
        if sighting.isFreed {
            let cell = cell(leak, source.build)
            leaks[leak].freed.addBounded(count)
            cells[cell].freed.addBounded(count)
            releases[source.release].freed.addBounded(count)
            apps[leaks[leak].app].freed.addBounded(count)
            if let lived = sighting.livedMilliseconds { leaks[leak].lived.append((lived, count)) }
            return
        }
        let bundle = bundle(leak, sourceIndex, Calendar.hour(of: sighting.at))
        let cell = bundles[bundle].cell
        bundles[bundle].reports.addBounded(count)
        leaks[leak].reports.addBounded(count)
        cells[cell].reports.addBounded(count)
        releases[source.release].reports.addBounded(count)
        apps[leaks[leak].app].reports.addBounded(count)
        if let alive = sighting.alive {
            leaks[leak].aliveAtMost = max(leaks[leak].aliveAtMost ?? 0, Total.bounded(alive))
        }
        leaks[leak].sightings.append(place)
        let slot = slot(source.app, Calendar.slot(of: sighting.at))
        slots[slot].reports.addBounded(count)
        if let hash = install {
            cells[cell].installs.append(hash)
            slots[slot].installs.append(hash)
        }
    }

    private mutating func count(_ denominator: Submission.Denominator, _ arrival: Int64) {
        let release = release(app(denominator.app, arrival), denominator.version, arrival)
        _ = build(release, denominator.build)
        releases[release].sessions.addBounded(Total.bounded(denominator.sessions))
        releases[release].leakySessions.addBounded(Total.bounded(denominator.leakySessions))
        for (className, count) in denominator.checks where count > 0 {
            releases[release].checks[ByteText(className), default: 0].addBounded(Total.bounded(count))
        }
    }

    // MARK: Names to indices

    private mutating func source(_ origin: Submission.Origin, _ arrival: Int64) -> Int {
        let app = app(origin.app, arrival)
        let release = release(app, origin.version, arrival)
        let source = Source(
            app: app, release: release, build: build(release, origin.build),
            system: origin.system.map { text($0) }, model: origin.model.map { text($0) })
        if let known = sourceIndices[source] { return known }
        sources.append(source)
        sourceIndices[source] = sources.count - 1
        return sources.count - 1
    }

    private mutating func bundle(_ leak: Int, _ source: Int, _ hour: Int) -> Int {
        let key = BundleKey(leak: leak, source: source, hour: hour)
        if let known = bundleIndices[key] { return known }
        let cell = cell(leak, sources[source].build)
        bundles.append(Bundle(leak: leak, source: source, hour: hour, cell: cell))
        bundleIndices[key] = bundles.count - 1
        return bundles.count - 1
    }

    private mutating func app(_ name: String, _ arrival: Int64) -> Int {
        if let known = appIndices[ByteText(name)] {
            apps[known].lastSeen = max(apps[known].lastSeen, arrival)
            return known
        }
        apps.append(App(name: name, lastSeen: arrival))
        appIndices[ByteText(name)] = apps.count - 1
        return apps.count - 1
    }

    private mutating func release(_ app: Int, _ version: String, _ arrival: Int64) -> Int {
        let pair = Pair(owner: app, name: ByteText(version))
        if let known = releaseIndices[pair] {
            releases[known].span.widen(to: arrival)
            return known
        }
        releases.append(Release(app: app, version: version, span: Span(arrival)))
        releaseIndices[pair] = releases.count - 1
        return releases.count - 1
    }

    private mutating func build(_ release: Int, _ name: String?) -> Int {
        let pair = Pair(owner: release, name: ByteText(name ?? ""))
        if let known = buildIndices[pair] { return known }
        builds.append(Build(release: release, name: pair.name.text))
        buildIndices[pair] = builds.count - 1
        return builds.count - 1
    }

    private mutating func leak(_ identity: LeakIdentity, _ app: Int, _ time: Int64) -> Int {
        if let known = leakIndices[identity.id] { return known }
        leaks.append(Leak(identity: identity, app: app, span: Span(time)))
        leakIndices[identity.id] = leaks.count - 1
        return leaks.count - 1
    }

    private mutating func cell(_ leak: Int, _ build: Int) -> Int {
        let pair = Pair(owner: leak, name: build)
        if let known = cellIndices[pair] { return known }
        cells.append(Cell(leak: leak, build: build))
        cellIndices[pair] = cells.count - 1
        leaks[leak].cells.append(cells.count - 1)
        return cells.count - 1
    }

    private mutating func slot(_ app: Int, _ number: Int) -> Int {
        // Most reports are of now and of one app.
        if let last = slots.indices.last, slots[last].app == app, slots[last].number == number { return last }
        let pair = Pair(owner: app, name: number)
        if let known = slotIndices[pair] { return known }
        slots.append(Slot(app: app, number: number))
        slotIndices[pair] = slots.count - 1
        return slots.count - 1
    }

    private mutating func text(_ text: String) -> Int {
        if let known = textIndices[ByteText(text)] { return known }
        texts.append(text)
        textIndices[ByteText(text)] = texts.count - 1
        return texts.count - 1
    }
}

/// What a leak's reports are also counted by.
package enum ValueKind: Int, Sendable {
    case system = 0
    case model = 1

    /// Different systems, and different models, that one leak counts apart; the rest is counted together. More than
    /// Apple has ever made of either, few enough to bound what a stranger can grow.
    package static let limit = 200
}
