/// Many submissions added up, so that the database is touched once per thing counted and not once per report.
///
/// Everything is named by its index in one of the arrays here; what exists in the database is the admission's matter.
package struct Tally {
    package struct App {
        /// ``StoreLimits/other`` for all beyond the limit; so are the version and the name of a build below.
        package var name: String
        /// Arrival of the latest submission.
        package var lastSeen: Int64
        package var reports = 0
        package var freed = 0
        package var dropped: [ByteText: Int] = [:]
        package var beyond: [BeyondLimit.Name: Int] = [:]
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

    /// Where reports come from, as it counts; system and model are indices of ``Tally/texts``.
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
    /// Leaks in builds that are beyond a limit.
    private var folded: Set<Pair<Int>> = []
    /// What is to be written, in the unit of ``StoreLimits/weightPerCommit``.
    package private(set) var weight = 0
    private var bundleIndices: [BundleKey: Int] = [:]
    private var textIndices: [ByteText: Int] = [:]

    /// A leak that the database does not have yet costs as much as so many rows counted up.
    private static let newLeakWeight = 8

    private struct Pair<Name: Hashable>: Hashable {
        package var owner: Int
        package var name: Name
    }

    private struct BundleKey: Hashable {
        package var leak: Int
        package var source: Int
        package var hour: Int
    }

    package init() {}

    /// - Parameters:
    ///   - number: where the submission stands in the call.
    ///   - admission: asked once for each name that this tally has not seen.
    package mutating func add(
        _ submission: Submission, number: Int, by admission: some Admission
    ) throws(StoreError) {
        var senders: [(source: Int, install: UInt64?)] = []
        senders.reserveCapacity(submission.origins.count)
        for origin in submission.origins {
            senders.append((try source(origin, submission, by: admission), origin.installHash))
        }
        for index in submission.sightings.indices {
            let sighting = submission.sightings[index]
            guard senders.indices.contains(sighting.origin) else { continue }
            let sender = senders[sighting.origin]
            try count(
                sighting, from: sender.source, sender.install,
                at: Place(submission: number, sighting: index), by: admission)
        }
        for denominator in submission.denominators { try count(denominator, submission, by: admission) }
        for dropped in submission.dropped where dropped.count > 0 {
            let app = try app(dropped.app, submission, by: admission)
            apps[app].dropped[ByteText(dropped.reason), default: 0].addBounded(Total.bounded(dropped.count))
        }
    }

    /// Counts a batch whose idempotency key was not remembered.
    package mutating func addForgotten(_ submission: Submission, by admission: some Admission)
        throws(StoreError)
    {
        guard let name = submission.origins.first?.app ?? submission.denominators.first?.app else { return }
        let app = try app(name, submission, by: admission)
        apps[app].beyond[.idempotencyKeys, default: 0].addBounded(1)
    }

    private mutating func count(
        _ sighting: Submission.Sighting, from given: Int, _ install: UInt64?, at place: Place,
        by admission: some Admission
    ) throws(StoreError) {
        let count = Total.bounded(sighting.count)
        let app = sources[given].app
        let leak = try leak(sighting.leak, app, sighting.at, by: admission)
        let (sourceIndex, cell, isBeyond) = try cell(leak, given, sighting.at, by: admission)
        let source = sources[sourceIndex]
        if isBeyond { apps[app].beyond[.leakBuilds, default: 0].addBounded(count) }
        leaks[leak].span.widen(to: sighting.at)
        releases[source.release].span.widen(to: sighting.at)
        addBeyond(count, leak, source)
        if sighting.isFreed {
            leaks[leak].freed.addBounded(count)
            cells[cell].freed.addBounded(count)
            releases[source.release].freed.addBounded(count)
            apps[app].freed.addBounded(count)
            if let lived = sighting.livedMilliseconds { leaks[leak].lived.append((lived, count)) }
            return
        }
        let bundle = bundle(leak, sourceIndex, Calendar.hour(of: sighting.at), cell)
        bundles[bundle].reports.addBounded(count)
        leaks[leak].reports.addBounded(count)
        cells[cell].reports.addBounded(count)
        releases[source.release].reports.addBounded(count)
        apps[app].reports.addBounded(count)
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

    /// A report beyond several limits counts for each.
    private mutating func addBeyond(_ count: Int, _ leak: Int, _ source: Source) {
        let app = source.app
        if apps[app].name == StoreLimits.other { apps[app].beyond[.apps, default: 0].addBounded(count) }
        if releases[source.release].version == StoreLimits.other {
            apps[app].beyond[.releases, default: 0].addBounded(count)
        }
        if builds[source.build].name == StoreLimits.other {
            apps[app].beyond[.builds, default: 0].addBounded(count)
        }
        if leaks[leak].identity.isBeyond { apps[app].beyond[.leaks, default: 0].addBounded(count) }
    }

    private mutating func count(
        _ denominator: Submission.Denominator, _ submission: Submission, by admission: some Admission
    ) throws(StoreError) {
        let app = try app(denominator.app, submission, by: admission)
        let release = try release(app, denominator.version, submission.receivedAt, by: admission)
        _ = try build(release, denominator.build, by: admission)
        releases[release].sessions.addBounded(Total.bounded(denominator.sessions))
        releases[release].leakySessions.addBounded(Total.bounded(denominator.leakySessions))
        for (className, count) in denominator.checks where count > 0 {
            releases[release].checks[ByteText(className), default: 0].addBounded(Total.bounded(count))
        }
        weight += denominator.checks.count
    }

    // MARK: Names to indices

    private mutating func source(
        _ origin: Submission.Origin, _ submission: Submission, by admission: some Admission
    ) throws(StoreError) -> Int {
        let app = try app(origin.app, submission, by: admission)
        let release = try release(app, origin.version, submission.receivedAt, by: admission)
        return index(
            of: Source(
                app: app, release: release, build: try build(release, origin.build, by: admission),
                system: origin.system.map { text($0) }, model: origin.model.map { text($0) }))
    }

    private mutating func index(of source: Source) -> Int {
        if let known = sourceIndices[source] { return known }
        sources.append(source)
        sourceIndices[source] = sources.count - 1
        return sources.count - 1
    }

    private mutating func bundle(_ leak: Int, _ source: Int, _ hour: Int, _ cell: Int) -> Int {
        let key = BundleKey(leak: leak, source: source, hour: hour)
        if let known = bundleIndices[key] { return known }
        bundles.append(Bundle(leak: leak, source: source, hour: hour, cell: cell))
        bundleIndices[key] = bundles.count - 1
        weight += 1
        return bundles.count - 1
    }

    private mutating func app(
        _ name: String, _ submission: Submission, by admission: some Admission
    ) throws(StoreError) -> Int {
        let arrival = submission.receivedAt
        if let known = appIndices[ByteText(name)] {
            apps[known].lastSeen = max(apps[known].lastSeen, arrival)
            return known
        }
        let counted = try admission.app(named: name, key: submission.keyID, seen: arrival)
        if let known = appIndices[ByteText(counted)] {
            apps[known].lastSeen = max(apps[known].lastSeen, arrival)
            appIndices[ByteText(name)] = known
            return known
        }
        apps.append(App(name: counted, lastSeen: arrival))
        appIndices[ByteText(name)] = apps.count - 1
        appIndices[ByteText(counted)] = apps.count - 1
        return apps.count - 1
    }

    private mutating func release(
        _ app: Int, _ version: String, _ arrival: Int64, by admission: some Admission
    ) throws(StoreError) -> Int {
        let pair = Pair(owner: app, name: ByteText(version))
        if let known = releaseIndices[pair] {
            releases[known].span.widen(to: arrival)
            return known
        }
        // Many versions may count as one.
        let name = try admission.release(version, of: app, at: arrival)
        let counted = Pair(owner: app, name: ByteText(name))
        if let known = releaseIndices[counted] {
            releases[known].span.widen(to: arrival)
            releaseIndices[pair] = known
            return known
        }
        releases.append(Release(app: app, version: name, span: Span(arrival)))
        releaseIndices[pair] = releases.count - 1
        releaseIndices[counted] = releases.count - 1
        weight += 1
        return releases.count - 1
    }

    private mutating func build(
        _ release: Int, _ name: String?, by admission: some Admission
    ) throws(StoreError) -> Int {
        let pair = Pair(owner: release, name: ByteText(name ?? ""))
        if let known = buildIndices[pair] { return known }
        let admitted = try admission.build(pair.name.text, of: release)
        let counted = Pair(owner: release, name: ByteText(admitted))
        if let known = buildIndices[counted] {
            buildIndices[pair] = known
            return known
        }
        builds.append(Build(release: release, name: admitted))
        buildIndices[pair] = builds.count - 1
        buildIndices[counted] = builds.count - 1
        weight += 1
        return builds.count - 1
    }

    private mutating func leak(
        _ identity: LeakIdentity, _ app: Int, _ time: Int64, by admission: some Admission
    ) throws(StoreError) -> Int {
        if let known = leakIndices[identity.id] { return known }
        let (counted, isNew) = try admission.leak(identity.counted(in: apps[app].name), of: app)
        if let known = leakIndices[counted.id] {
            leakIndices[identity.id] = known
            return known
        }
        leaks.append(Leak(identity: counted, app: app, span: Span(time)))
        leakIndices[identity.id] = leaks.count - 1
        leakIndices[counted.id] = leaks.count - 1
        weight += isNew ? Self.newLeakWeight : 1
        return leaks.count - 1
    }

    /// A leak in the build it was seen in, or in the one for those beyond a limit; with the source it then counts as.
    private mutating func cell(
        _ leak: Int, _ given: Int, _ time: Int64, by admission: some Admission
    ) throws(StoreError) -> (source: Int, cell: Int, isBeyond: Bool) {
        let pair = Pair(owner: leak, name: sources[given].build)
        if let known = cellIndices[pair] { return (given, known, false) }
        if !folded.contains(pair) {
            let isAdmitted = try admission.admits(
                leak, in: pair.name, besides: leaks[leak].cells.count, of: sources[given].app)
            if isAdmitted { return (given, newCell(pair), false) }
            folded.insert(pair)
        }
        var source = sources[given]
        source.release = try release(source.app, StoreLimits.other, time, by: admission)
        source.build = try build(source.release, StoreLimits.other, by: admission)
        return (index(of: source), newCell(Pair(owner: leak, name: source.build)), true)
    }

    private mutating func newCell(_ pair: Pair<Int>) -> Int {
        if let known = cellIndices[pair] { return known }
        cells.append(Cell(leak: pair.owner, build: pair.name))
        cellIndices[pair] = cells.count - 1
        leaks[pair.owner].cells.append(cells.count - 1)
        weight += 1
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
