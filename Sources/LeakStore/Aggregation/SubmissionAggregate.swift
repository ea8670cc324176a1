/// The counts of many submissions, added up in memory, so that the database is accessed once for each counted item and not once
/// for each report.
///
/// Items refer to each other by their indices in the arrays of this type. The ``NameQuota`` knows which items exist in the
/// database.
package struct SubmissionAggregate {
    package private(set) var apps: [App] = []
    package private(set) var releases: [Release] = []
    package private(set) var builds: [Build] = []
    package private(set) var leaks: [Leak] = []
    package private(set) var cells: [LeakBuildCount] = []
    package private(set) var slots: [SlotCount] = []
    package private(set) var sources: [Source] = []
    package private(set) var hourCounts: [LeakHourCount] = []
    /// Reports of type `leak` of each cell, by bucket of installs.
    package private(set) var bucketReports: [BucketReports] = []
    /// Names of systems and models, to which ``sources`` refer.
    package private(set) var texts: [String] = []

    private var appIndices: [AppKey: CountedEntry] = [:]
    private var releaseIndices: [OwnedKey<ByteText>: CountedEntry] = [:]
    private var buildIndices: [OwnedKey<ByteText>: CountedEntry] = [:]
    private var leakIndices: [LeakID: Int] = [:]
    /// The leaks under which reports are counted, by app and ``LeakIdentity/lookupID``.
    private var countedLeaks: [OwnedKey<LeakID>: CountedLeak] = [:]
    /// For each reported leak that has two possible ids: its identity as reported, and the id that was chosen for it. A leak that
    /// was merged by hand, or is over a limit, counts under a third id.
    package private(set) var countedIDs: [(reported: LeakIdentity, counted: LeakID)] = []
    /// Ids of leaks whose explanations do not count, because the database has no such leaks.
    package private(set) var unknownLeaks: Set<LeakID> = []
    private var cellIndices: [OwnedKey<Int>: Int] = [:]
    /// For a leak and a reported source: the source and cell in which the reports count, because their build may not be counted
    /// separately for this leak. An entry is used only for reports with the ingest key `key`, because the build may be within
    /// the limits of another key.
    private var otherBuilds: [OwnedKey<Int>: (source: Int, cell: Int, key: Int64)] = [:]
    private var slotIndices: [OwnedKey<Int>: Int] = [:]
    private var sourceIndices: [Source: Int] = [:]
    /// The leaks that were merged by hand, whose reports count for other leaks.
    private let merges: MergedIDs
    /// Amount of data to write, in the unit of ``StoreLimits/weightPerCommit``.
    package private(set) var weight = 0
    private var hourCountIndices: [HourKey: Int] = [:]
    private var textIndices: [ByteText: Int] = [:]

    /// The weight of a leak that the database does not have yet: writing it takes as long as updating this number of rows.
    private static let newLeakWeight = 8

    /// The app, release or build under which the reports with a name are counted.
    private struct CountedEntry {
        var index: Int
        /// `true` if the entry is ``StoreLimits/other``, and the name itself is not `other`.
        var isOverLimit = false
        /// The ingest key whose report named the name first.
        var key: Int64

        /// Returns `false` if the name was over the limit of another ingest key, because it may be within the limit of this
        /// key.
        func isValid(for key: Int64) -> Bool { !isOverLimit || self.key == key }
    }

    /// The leak under which reports are counted.
    private struct CountedLeak {
        var index: Int
        /// The limit because of which the leak is counted as `other`; `nil` if no limit was reached.
        var exceededLimit: OverLimitCount.Name?
        /// The ingest key whose report named the leak.
        var key: Int64

        /// Returns `false` if the leak was over the limit of another ingest key, because it may be within the limit of this
        /// key.
        func isValid(for key: Int64) -> Bool { exceededLimit == nil || self.key == key }
    }

    /// A name, or an id, that is unique only within its owner: a version within its app, a build within its release. `owner` is
    /// the index of the owner.
    private struct OwnedKey<Name: Hashable>: Hashable {
        package var owner: Int
        package var name: Name
    }

    private struct HourKey: Hashable {
        package var leak: Int
        package var source: Int
        package var hour: Int
        package var key: Int64
    }

    /// - Parameters:
    ///   - reports: number of reports to reserve memory for.
    ///   - merges: the leaks that were merged by hand.
    package init(expecting reports: Int = 0, merges: MergedIDs = MergedIDs()) {
        self.merges = merges
        leaks.reserveCapacity(reports)
        cells.reserveCapacity(reports)
        hourCounts.reserveCapacity(reports)
        leakIndices.reserveCapacity(reports)
        countedLeaks.reserveCapacity(reports)
        cellIndices.reserveCapacity(reports)
        hourCountIndices.reserveCapacity(reports)
    }

    /// Counts a submission.
    ///
    /// - Parameters:
    ///   - number: the index of the submission among those that are counted together.
    ///   - quota: called for names that this aggregate has not seen.
    package mutating func add(
        _ submission: Submission, number: Int, by quota: some NameQuota
    ) throws(StoreError) {
        let countedOrigins = submission.countedOrigins
        var senders: [(source: Int, install: UInt64?)?] = []
        senders.reserveCapacity(submission.origins.count)
        for (index, origin) in submission.origins.enumerated() {
            guard countedOrigins?.contains(index) ?? true else {
                senders.append(nil)
                continue
            }
            senders.append((try source(origin, submission, by: quota), origin.installHash))
        }
        let sightings = submission.sightings.span
        for index in sightings.indices {
            let origin = sightings[index].originIndex
            guard senders.indices.contains(origin), let sender = senders[origin] else { continue }
            try count(
                sightings[index], from: sender.source, sender.install,
                at: SightingIndex(submission: number, sighting: index), of: submission, by: quota)
        }
        for explanation in submission.explanations {
            weight += 1
            guard submission.origins.indices.contains(explanation.originIndex) else { continue }
            try count(explanation, submission, by: quota)
        }
        for usage in submission.usageCounts { try count(usage, submission, by: quota) }
        for dropped in submission.dropped where dropped.count > 0 {
            let app = try app(dropped.appKey, submission, by: quota).index
            let reason = ByteText(dropped.reason.storable)
            apps[app].dropped[reason, default: 0].addBounded(Total.bounded(dropped.count))
        }
    }

    /// Counts a batch whose idempotency key was not stored, because its ingest key has stored too many idempotency keys.
    package mutating func addUnstoredKey(_ submission: Submission, by quota: some NameQuota)
        throws(StoreError)
    {
        guard let counted = submission.countedApps.first else { return }
        let app = try app(counted, submission, by: quota).index
        apps[app].overLimitCounts[.idempotencyKeys, default: 0].addBounded(1)
    }

    private mutating func count(
        _ sighting: Submission.Sighting, from reportedSource: Int, _ install: UInt64?,
        at sightingIndex: SightingIndex,
        of submission: Submission, by quota: some NameQuota
    ) throws(StoreError) {
        let key = submission.keyID
        let count = Total.bounded(sighting.count)
        let (app, bucket) = (sources[reportedSource].app, BucketCounts.bucket(ofInstall: install))
        let counted = try leak(sighting.leak, app, key: key, by: quota)
        let leak = counted.index
        leaks[leak].span = leaks[leak].span ?? TimeSpan(sighting.at)
        leaks[leak].span?.widen(to: sighting.at)
        if sighting.isFreed {
            let (source, cell, isInCatchAllBuild) = try countingCell(
                ofLeak: leak, source: reportedSource, time: sighting.at, ingestKey: key, quota: quota)
            let release = sources[source].release
            addOverLimit(
                count, of: counted, source: sources[reportedSource], isInCatchAllBuild: isInCatchAllBuild)
            releases[release].span.widen(to: sighting.at)
            leaks[leak].freed.addBounded(count)
            cells[cell].freed.addBounded(count)
            releases[release].freed.addBounded(count)
            releases[release].addUse(
                in: Calendar.countedHour(of: sighting.at, arrival: submission.receivedAt), reports: 1,
                bucket: install == nil ? HourUse.unknownInstalls : bucket)
            apps[app].freed.addBounded(count)
            if let lived = sighting.livedMilliseconds { leaks[leak].lived.append((lived, count)) }
            return
        }
        let hourCount = try hourCount(
            ofLeak: leak, from: reportedSource, at: sighting.at, in: submission, by: quota)
        hourCounts[hourCount].reports.addBounded(count)
        let (release, cell) = (sources[hourCounts[hourCount].source].release, hourCounts[hourCount].cell)
        addOverLimit(
            count, of: counted, source: sources[reportedSource],
            isInCatchAllBuild: hourCounts[hourCount].isInCatchAllBuild)
        releases[release].span.widen(to: sighting.at)
        leaks[leak].reports.addBounded(count)
        cells[cell].reports.addBounded(count)
        releases[release].reports.addBounded(count)
        releases[release].addUse(
            in: hourCounts[hourCount].hour, reports: 1,
            bucket: install == nil ? HourUse.unknownInstalls : bucket)
        apps[app].reports.addBounded(count)
        if let alive = sighting.alive {
            leaks[leak].maxAlive = max(leaks[leak].maxAlive ?? 0, Total.bounded(alive))
        }
        leaks[leak].sightings.append(sightingIndex)
        let slot = slotIndex(ofApp: app, number: Calendar.slot(of: sighting.at))
        slots[slot].reports.addBounded(count)
        bucketReports.append(
            BucketReports(
                cell: cell, part: .init(bucket: bucket, count: count)))
        if let hash = install {
            cells[cell].add(install: hash, day: Calendar.day(of: sighting.at))
            slots[slot].installHashes.append(hash)
        }
    }

    /// Counts an explanation of a leak that is in the database, or that this aggregate adds. Explanations of other leaks are
    /// dropped: an explanation creates neither a leak nor an app.
    private mutating func count(
        _ explanation: Submission.Explanation, _ submission: Submission, by quota: some NameQuota
    ) throws(StoreError) {
        let (reported, key) = (submission.origins[explanation.originIndex].appKey, submission.keyID)
        var reportedLeak = explanation.leak
        // If this aggregate has not counted the app, the leaks of the app are in the database under their own ids.
        if let entry = appIndices[reported.storable], entry.isValid(for: key) {
            reportedLeak = reportedLeak.counted(in: apps[entry.index].key)
        }
        let chosenLeak = try reportedLeak.countedIdentity { id throws(StoreError) in
            try module(of: id, by: quota)
        }
        guard try module(of: chosenLeak.id, by: quota) != nil else {
            unknownLeaks.formUnion(reportedLeak.ids)
            return
        }
        let app = try app(reported, submission, by: quota).index
        let counted = try leak(explanation.leak, app, key: key, by: quota)
        guard counted.exceededLimit == nil else { return }
        let leak = counted.index
        leaks[leak].values.append(Value(kind: .reason, text: explanation.reason.storable, key: key))
        if let closures = explanation.closures {
            leaks[leak].values.append(Value(kind: .closures, text: closures.storable, key: key))
        }
        if let bytes = explanation.bytes {
            leaks[leak].values.append(
                Value(kind: .retainedBytes, text: "\(RetainedBytes.rounded(bytes))", key: key))
        }
    }

    /// Adds `count` reports to the counts of the limits that they exceed. Reports that exceed several limits count for each of
    /// them.
    private mutating func addOverLimit(
        _ count: Int, of leak: CountedLeak, source: Source, isInCatchAllBuild: Bool
    ) {
        let app = source.app
        if let limit = source.appLimit { apps[app].overLimitCounts[limit, default: 0].addBounded(count) }
        if source.isReleaseOverLimit { apps[app].overLimitCounts[.releases, default: 0].addBounded(count) }
        if source.isBuildOverLimit { apps[app].overLimitCounts[.builds, default: 0].addBounded(count) }
        if isInCatchAllBuild { apps[app].overLimitCounts[.leakBuilds, default: 0].addBounded(count) }
        if let limit = leak.exceededLimit { apps[app].overLimitCounts[limit, default: 0].addBounded(count) }
    }

    private mutating func count(
        _ usage: Submission.UsageCounts, _ submission: Submission, by quota: some NameQuota
    ) throws(StoreError) {
        let app = try app(usage.appKey, submission, by: quota).index
        let (arrival, key) = (submission.receivedAt, submission.keyID)
        let release = try release(usage.version, ofApp: app, at: arrival, key: key, by: quota).index
        let build = try build(release, usage.build, key: key, by: quota).index
        let bucket = BucketCounts.bucket(ofInstall: usage.installHash)
        builds[build].sessions.add(Total.bounded(usage.sessions), in: bucket)
        builds[build].leakySessions.add(Total.bounded(usage.leakySessions), in: bucket)
        releases[release].sessions.addBounded(Total.bounded(usage.sessions))
        var sessionsNow = Total.bounded(usage.sessions)
        let useBucket = usage.installHash == nil ? HourUse.unknownInstalls : bucket
        for (hour, sessions) in usage.earlierSessions {
            let sessions = min(max(sessions, 0), sessionsNow)
            sessionsNow -= sessions
            releases[release].addUse(in: hour, sessions: sessions, bucket: useBucket)
        }
        releases[release].addUse(in: Calendar.hour(of: arrival), sessions: sessionsNow, bucket: useBucket)
        releases[release].leakySessions.addBounded(Total.bounded(usage.leakySessions))
        for (className, count) in usage.checks where count > 0 {
            let name = ByteText(className.storable)
            builds[build].checks[name, default: Check()].add(Total.bounded(count), in: bucket, key: key)
            releases[release].checks.addBounded(Total.bounded(count))
        }
        weight += usage.checks.count
    }

    func release(ofCell cell: Int) -> Int { builds[cells[cell].build].release }

    /// Returns the bytes of the rows of new cells, by ingest key.
    ///
    /// - Parameter isNew: called with the index of a cell.
    package func cellBytes(isNew: (Int) -> Bool) -> [Int64: Int] {
        var bytes: [Int64: Int] = [:]
        for (index, cell) in cells.enumerated() where isNew(index) {
            bytes[cell.key, default: 0] += DetailBytes.ofCell
        }
        return bytes
    }

    // MARK: Names to indices

    /// Returns `true` if a name counts as `other`, and is not itself `other`.
    private static func isOverLimit(_ name: String, as admitted: String) -> Bool {
        admitted == StoreLimits.other && name != admitted
    }

    /// Returns the index in ``sources`` for the reports of an origin.
    private mutating func source(
        _ origin: Submission.Origin, _ submission: Submission, by quota: some NameQuota
    ) throws(StoreError) -> Int {
        let app = try app(origin.appKey, submission, by: quota)
        let (arrival, key) = (submission.receivedAt, submission.keyID)
        let release = try release(
            origin.version, ofApp: app.index, at: arrival, key: key, by: quota)
        let build = try build(release.index, origin.build, key: key, by: quota)
        return index(
            of: Source(
                app: app.index, release: release.index, build: build.index,
                system: origin.system.map { textIndex(of: $0) },
                model: origin.model.map { textIndex(of: $0) },
                appLimit: app.isOverLimit ? limit(ofApp: app.index, reported: origin.appKey) : nil,
                isReleaseOverLimit: release.isOverLimit,
                isBuildOverLimit: build.isOverLimit))
    }

    /// Returns the limit because of which an app is counted as the app `other`, or its environment as `other`.
    private func limit(ofApp app: Int, reported: AppKey) -> OverLimitCount.Name {
        ByteText(apps[app].key.name) == ByteText(reported.storable.name) ? .environments : .apps
    }

    private mutating func index(of source: Source) -> Int {
        if let index = sourceIndices[source] { return index }
        sources.append(source)
        sourceIndices[source] = sources.count - 1
        return sources.count - 1
    }

    /// Returns the index in ``hourCounts`` of the count of a leak in an hour. Counts of two sources or ingest keys may belong
    /// to one row of the database: they are added up when they are written.
    private mutating func hourCount(
        ofLeak leak: Int, from reportedSource: Int, at time: Int64, in submission: Submission,
        by quota: some NameQuota
    ) throws(StoreError) -> Int {
        let hour = Calendar.countedHour(of: time, arrival: submission.receivedAt)
        let key = submission.keyID
        let name = HourKey(leak: leak, source: reportedSource, hour: hour, key: key)
        if let index = hourCountIndices[name] { return index }
        let (source, cell, isInCatchAllBuild) = try countingCell(
            ofLeak: leak, source: reportedSource, time: time, ingestKey: key, quota: quota)
        hourCounts.append(
            LeakHourCount(
                leak: leak, source: source, hour: hour, cell: cell, key: key,
                isInCatchAllBuild: isInCatchAllBuild))
        hourCountIndices[name] = hourCounts.count - 1
        weight += 1
        return hourCounts.count - 1
    }

    private mutating func app(
        _ reported: AppKey, _ submission: Submission, by quota: some NameQuota
    ) throws(StoreError) -> CountedEntry {
        let (arrival, key) = (submission.receivedAt, submission.keyID)
        let reported = reported.storable
        if let entry = appIndices[reported], entry.isValid(for: key) {
            apps[entry.index].lastSeen = max(apps[entry.index].lastSeen, arrival)
            if apps[entry.index].ingestKey != key { apps[entry.index].hasOtherKeys = true }
            return entry
        }
        let admitted = try quota.app(reported, key: key, seenAt: arrival)
        let index: Int
        if let entry = appIndices[admitted.key], !entry.isOverLimit {
            index = entry.index
            apps[index].lastSeen = max(apps[index].lastSeen, arrival)
            if apps[index].ingestKey != key { apps[index].hasOtherKeys = true }
        } else {
            apps.append(
                App(key: admitted.key, number: admitted.number, ingestKey: key, lastSeen: arrival))
            index = apps.count - 1
            appIndices[admitted.key] = CountedEntry(index: index, key: key)
        }
        let counted = CountedEntry(
            index: index, isOverLimit: admitted.key != reported, key: key)
        appIndices[reported] = counted
        return counted
    }

    private mutating func release(
        _ version: String, ofApp app: Int, at arrival: Int64, key: Int64, by quota: some NameQuota
    ) throws(StoreError) -> CountedEntry {
        let version = version.storable
        let pair = OwnedKey(owner: app, name: ByteText(version))
        if let entry = releaseIndices[pair], entry.isValid(for: key) {
            releases[entry.index].span.widen(to: arrival)
            if releases[entry.index].key != key { releases[entry.index].hasOtherKeys = true }
            return entry
        }
        // Several versions may count as one version.
        let admitted = try quota.release(version, of: apps[app].number, key: key, seenAt: arrival)
        let admittedPair = OwnedKey(owner: app, name: ByteText(admitted.name))
        let index: Int
        if let entry = releaseIndices[admittedPair], !entry.isOverLimit {
            index = entry.index
            releases[index].span.widen(to: arrival)
            if releases[index].key != key { releases[index].hasOtherKeys = true }
        } else {
            releases.append(
                Release(
                    app: app, version: admitted.name, number: admitted.number, key: key,
                    span: TimeSpan(arrival)))
            index = releases.count - 1
            releaseIndices[admittedPair] = CountedEntry(index: index, key: key)
            weight += 1
        }
        let isOverLimit = Self.isOverLimit(version, as: admitted.name)
        let counted = CountedEntry(index: index, isOverLimit: isOverLimit, key: key)
        releaseIndices[pair] = counted
        return counted
    }

    private mutating func build(
        _ release: Int, _ name: String?, key: Int64, by quota: some NameQuota
    ) throws(StoreError) -> CountedEntry {
        let pair = OwnedKey(owner: release, name: ByteText((name ?? "").storable))
        if let entry = buildIndices[pair], entry.isValid(for: key) { return entry }
        let admitted = try quota.build(pair.name.text, of: releases[release].number, key: key)
        let admittedPair = OwnedKey(owner: release, name: ByteText(admitted.name))
        let index: Int
        if let entry = buildIndices[admittedPair], !entry.isOverLimit {
            index = entry.index
        } else {
            builds.append(Build(release: release, name: admitted.name, number: admitted.number, key: key))
            index = builds.count - 1
            buildIndices[admittedPair] = CountedEntry(index: index, key: key)
            weight += 1
        }
        let isOverLimit = Self.isOverLimit(pair.name.text, as: admitted.name)
        let counted = CountedEntry(index: index, isOverLimit: isOverLimit, key: key)
        buildIndices[pair] = counted
        return counted
    }

    private mutating func leak(
        _ identity: LeakIdentity, _ app: Int, key: Int64, by quota: some NameQuota
    ) throws(StoreError) -> CountedLeak {
        let pair = OwnedKey(owner: app, name: identity.lookupID)
        if let leak = countedLeaks[pair], leak.isValid(for: key) {
            if leaks[leak.index].key != key { leaks[leak.index].hasOtherKeys = true }
            return leak
        }
        let reportedLeak = identity.counted(in: apps[app].key)
        let chosenLeak = try reportedLeak.countedIdentity { id throws(StoreError) in
            try module(of: id, by: quota)
        }
        if reportedLeak.otherModuleSpelling != nil { countedIDs.append((reportedLeak, chosenLeak.id)) }
        let (admission, number) = try quota.leak(
            merges.target(of: chosenLeak.id) ?? chosenLeak, of: apps[app].number, key: key)
        let countedIdentity = admission.counted
        let index: Int
        if let existingIndex = leakIndices[countedIdentity.id] {
            index = existingIndex
            if leaks[index].key != key { leaks[index].hasOtherKeys = true }
        } else {
            leaks.append(Leak(identity: countedIdentity, number: number, app: app, key: key))
            index = leaks.count - 1
            leakIndices[countedIdentity.id] = index
            weight += admission.isNew ? Self.newLeakWeight : 1
        }
        let leak = CountedLeak(index: index, exceededLimit: admission.exceededLimit, key: key)
        countedLeaks[pair] = leak
        if let module = countedIdentity.module,
            try self.module(of: countedIdentity.id, by: quota)?.isEmpty ?? false
        {
            leaks[index].claimedModule = module
        }
        return leak
    }

    /// Returns the module of a leak that is in the database, was merged by hand, or is new in this aggregate; empty if the module
    /// is not known. Returns `nil` for any other leak.
    ///
    /// This function is mutating so that a call does not copy the aggregate.
    private mutating func module(of leak: LeakID, by quota: some NameQuota) throws(StoreError) -> String? {
        if let module = merges.module(of: leak) { return module }
        let storedModule = try quota.module(of: leak)
        if let storedModule, !storedModule.isEmpty { return storedModule }
        guard let index = leakIndices[leak] else { return storedModule }
        return leaks[index].claimedModule ?? (storedModule == nil ? leaks[index].identity.module : nil) ?? ""
    }

    /// Finds or adds the cell that counts a report. A cell has the counts of one leak in one build.
    ///
    /// Returns the index of the cell in ``cells``, and the index in ``sources`` of its release and build.
    /// If the leak has reached its limit of builds, the cell belongs to the catch-all build `other`, and `isInCatchAllBuild` is
    /// `true`. If it has reached the limit of releases too, the cell belongs to the release `other`.
    private mutating func countingCell(
        ofLeak leak: Int, source reportedSource: Int, time: Int64, ingestKey key: Int64, quota: some NameQuota
    ) throws(StoreError) -> (source: Int, cell: Int, isInCatchAllBuild: Bool) {
        let pair = OwnedKey(owner: leak, name: sources[reportedSource].build)
        if let cell = cellIndices[pair] { return (reportedSource, cell, false) }
        if let otherBuild = otherBuilds[OwnedKey(owner: leak, name: reportedSource)], otherBuild.key == key {
            return (otherBuild.source, otherBuild.cell, true)
        }
        if try isAdmitted(pair, of: sources[reportedSource].app, key: key, by: quota) {
            return (reportedSource, findOrAddCell(pair, key: key), false)
        }
        var source = sources[reportedSource]
        source.build = try build(source.release, StoreLimits.other, key: key, by: quota).index
        let isReleaseAdmitted = try isAdmitted(
            OwnedKey(owner: leak, name: source.build), of: source.app, key: key, by: quota)
        if !isReleaseAdmitted {
            source.release = try release(
                StoreLimits.other, ofApp: source.app, at: time, key: key, by: quota
            ).index
            source.build = try build(source.release, StoreLimits.other, key: key, by: quota)
                .index
            _ = try isAdmitted(
                OwnedKey(owner: leak, name: source.build), isLastResort: true, of: source.app, key: key,
                by: quota)
        }
        let otherBuild = (
            source: index(of: source),
            cell: findOrAddCell(OwnedKey(owner: leak, name: source.build), key: key),
            key: key
        )
        otherBuilds[OwnedKey(owner: leak, name: reportedSource)] = otherBuild
        return (otherBuild.source, otherBuild.cell, true)
    }

    /// Returns `true` if the reports of a leak in a build may be counted separately from its reports in other builds.
    ///
    /// This function is mutating so that a call does not copy the aggregate.
    private mutating func isAdmitted(
        _ cell: OwnedKey<Int>, isLastResort: Bool = false, of app: Int, key: Int64, by quota: some NameQuota
    ) throws(StoreError) -> Bool {
        if cellIndices[cell] != nil { return true }
        return try quota.admits(
            leaks[cell.owner].number, in: builds[cell.name].number, isLastResort: isLastResort,
            of: apps[app].number,
            key: key)
    }

    /// Returns the index of the cell of a leak and a build, and adds the cell if there is none.
    private mutating func findOrAddCell(_ pair: OwnedKey<Int>, key: Int64) -> Int {
        if let cell = cellIndices[pair] { return cell }
        cells.append(LeakBuildCount(leak: pair.owner, build: pair.name, key: key))
        cellIndices[pair] = cells.count - 1
        leaks[pair.owner].cells.append(cells.count - 1)
        weight += 1
        return cells.count - 1
    }

    private mutating func slotIndex(ofApp app: Int, number: Int) -> Int {
        // Most reports are recent and of one app, so their ten-minute slot is the last slot.
        if let last = slots.indices.last, slots[last].app == app, slots[last].number == number { return last }
        let pair = OwnedKey(owner: app, name: number)
        if let index = slotIndices[pair] { return index }
        slots.append(SlotCount(app: app, number: number))
        slotIndices[pair] = slots.count - 1
        return slots.count - 1
    }

    private mutating func textIndex(of text: String) -> Int {
        let text = text.storable
        if let index = textIndices[ByteText(text)] { return index }
        texts.append(text)
        textIndices[ByteText(text)] = texts.count - 1
        return texts.count - 1
    }
}

extension [Submission] {
    var reportCount: Int { reduce(0) { $0 + $1.sightings.count } }
}
