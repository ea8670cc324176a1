/// Many submissions added up, so that the database is touched once per thing counted and not once per report.
///
/// Everything is named by its index in one of the arrays here; what exists in the database is no matter yet.
struct Tally {
    struct App {
        var entry: AppEntry
        /// Arrival of the latest submission.
        var lastSeen: Int64
        var reports = 0
        var freed = 0
        var dropped: [ByteText: Int] = [:]
        var beyond: [BeyondLimit.Name: Int] = [:]
    }

    struct Release {
        var app: Int
        var entry: ReleaseEntry
        var span: Span
        var reports = 0
        var freed = 0
        var sessions = 0
        var leakySessions = 0
        var checks: [ByteText: Int] = [:]
    }

    struct Build {
        var release: Int
        /// Of `build`.
        var row: Int64
        var isBeyond: Bool
    }

    struct Leak {
        var identity: LeakIdentity
        /// `nil` for one that the database does not have.
        var entry: LeakEntry?
        var app: Int
        var span: Span
        var reports = 0
        var freed = 0
        var aliveAtMost: Int?
        /// Milliseconds, with how many objects lived that long.
        var lived: [(milliseconds: Int, count: Int)] = []
        /// Reports of type `leak`, in order of arrival.
        var sightings: [Place] = []
        /// Indices of ``Tally/cells``.
        var cells: [Int] = []
    }

    /// One leak in one build.
    struct Cell {
        var leak: Int
        var build: Int
        var reports = 0
        var freed = 0
        /// Of reports of type `leak`; a hash may stand here more than once.
        var installs: [UInt64] = []
    }

    /// Ten minutes of one app.
    struct Slot {
        var app: Int
        var number: Int
        var reports = 0
        var installs: [UInt64] = []
    }

    /// Where reports come from, as it counts; system and model are indices of ``Tally/texts``.
    struct Source: Hashable {
        var app: Int
        var release: Int
        var build: Int
        var system: Int?
        var model: Int?
    }

    /// Reports of type `leak` of one leak, from one source, in one hour.
    struct Bundle {
        var leak: Int
        var source: Int
        var hour: Int
        var cell: Int
        var reports = 0
    }

    /// A report, by where it stands.
    struct Place {
        var submission: Int
        var sighting: Int
    }

    /// From the first time to the last.
    struct Span {
        var first: Int64
        var last: Int64

        init(_ time: Int64) { (first, last) = (time, time) }

        mutating func widen(to time: Int64) {
            first = min(first, time)
            last = max(last, time)
        }
    }

    private(set) var apps: [App] = []
    private(set) var releases: [Release] = []
    private(set) var builds: [Build] = []
    private(set) var leaks: [Leak] = []
    private(set) var cells: [Cell] = []
    private(set) var slots: [Slot] = []
    private(set) var sources: [Source] = []
    private(set) var bundles: [Bundle] = []
    private(set) var texts: [String] = []

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
    private(set) var weight = 0
    private var bundleIndices: [BundleKey: Int] = [:]
    private var textIndices: [ByteText: Int] = [:]

    /// A leak that the database does not have yet costs as much as so many rows counted up.
    private static let newLeakWeight = 8

    private struct Pair<Name: Hashable>: Hashable {
        var owner: Int
        var name: Name
    }

    private struct BundleKey: Hashable {
        var leak: Int
        var source: Int
        var hour: Int
    }

    init() {}

    /// - Parameters:
    ///   - number: where the submission stands in the call.
    ///   - admission: asked once for each name that this tally has not seen.
    mutating func add(
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
    mutating func addForgotten(_ submission: Submission, by admission: some Admission) throws(StoreError) {
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
        if apps[app].entry.isBeyond { apps[app].beyond[.apps, default: 0].addBounded(count) }
        if releases[source.release].entry.isBeyond {
            apps[app].beyond[.releases, default: 0].addBounded(count)
        }
        if builds[source.build].isBeyond { apps[app].beyond[.builds, default: 0].addBounded(count) }
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
        let entry = try admission.app(named: name, key: submission.keyID, seen: arrival)
        let index: Int
        if let known = apps.firstIndex(where: { $0.entry.id == entry.id }) {
            index = known
            apps[known].lastSeen = max(apps[known].lastSeen, arrival)
        } else {
            apps.append(App(entry: entry, lastSeen: arrival))
            index = apps.count - 1
        }
        appIndices[ByteText(name)] = index
        return index
    }

    private mutating func release(
        _ app: Int, _ version: String, _ arrival: Int64, by admission: some Admission
    ) throws(StoreError) -> Int {
        let pair = Pair(owner: app, name: ByteText(version))
        if let known = releaseIndices[pair] {
            releases[known].span.widen(to: arrival)
            return known
        }
        let entry = try admission.release(version, of: apps[app].entry, at: arrival)
        // Many versions may count as one.
        let counted = Pair(owner: app, name: ByteText(entry.isBeyond ? StoreLimits.other : version))
        if let known = releaseIndices[counted] {
            releases[known].span.widen(to: arrival)
            releaseIndices[pair] = known
            return known
        }
        releases.append(Release(app: app, entry: entry, span: Span(arrival)))
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
        let (row, isBeyond) = try admission.build(pair.name.text, of: releases[release].entry)
        let counted = Pair(owner: release, name: isBeyond ? ByteText(StoreLimits.other) : pair.name)
        if let known = buildIndices[counted] {
            buildIndices[pair] = known
            return known
        }
        builds.append(Build(release: release, row: row, isBeyond: isBeyond))
        buildIndices[pair] = builds.count - 1
        buildIndices[counted] = builds.count - 1
        weight += 1
        return builds.count - 1
    }

    private mutating func leak(
        _ identity: LeakIdentity, _ app: Int, _ time: Int64, by admission: some Admission
    ) throws(StoreError) -> Int {
        if let known = leakIndices[identity.id] { return known }
        let (counted, entry) = try admission.leak(identity, of: apps[app].entry)
        if let known = leakIndices[counted.id] {
            leakIndices[identity.id] = known
            return known
        }
        leaks.append(Leak(identity: counted, entry: entry, app: app, span: Span(time)))
        leakIndices[identity.id] = leaks.count - 1
        leakIndices[counted.id] = leaks.count - 1
        weight += entry == nil ? Self.newLeakWeight : 1
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
                leaks[leak].entry, in: builds[pair.name].row, besides: leaks[leak].cells.count,
                of: apps[sources[given].app].entry)
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
enum ValueKind: Int, Sendable {
    case system = 0
    case model = 1
}
