#if PostgreSQL
    internal import LeakStore

    /// One transaction that counts submissions.
    struct SubmissionTransaction {
        let connection: PostgreSQLConnection
        private(set) var receipts: [Receipt] = []
        /// `true` if the commit was sent and not answered.
        private(set) var isInDoubt = false

        init(connection: PostgreSQLConnection) { self.connection = connection }

        mutating func run(
            _ submissions: [Submission], now: Int64, _ clock: StoreClock, by writer: Writer
        ) throws(StoreError) -> [Receipt] {
            var submissions = try Self.prefix(of: submissions, weighing: writer.limits.weightPerCommit)
            connection.begin("begin")
            var idempotencyKeys = IdempotencyKeys(of: submissions, clock)
            let openingQueries = [
                Migration.sharedLockQuery, Migration.versionQuery, writer.commitMarker.nextQuery(now: now),
            ]
            try idempotencyKeys.write(
                after: openingQueries, on: connection, limits: writer.limits, &writer.idempotencyCache)
            receipts = idempotencyKeys.receipts

            let countedIndexes = submissions.indices.filter { receipts[$0] == .counted }
            guard !countedIndexes.isEmpty else {
                _ = try commit([])
                return receipts
            }
            let leakIDs: CachedLeakIDs
            if let cached = writer.leakIDs {
                leakIDs = cached
            } else {
                leakIDs = try CachedLeakIDs(on: connection)
                writer.leakIDs = leakIDs
            }
            var dropped: [LeakID: Int] = [:]
            for index in countedIndexes where !leakIDs.discards.isEmpty {
                dropped.merge(leakIDs.discards.remove(from: &submissions[index])) { Total.bounded($0 + $1) }
            }
            let apps = try admitApps(
                of: countedIndexes.lazy.map { submissions[$0] }, &writer.nameCache,
                limits: writer.limits, now: now)
            var aggregate = try Self.aggregate(
                submissions, countedIndexes, unrecognized: idempotencyKeys.unrecognizedIndexes, in: apps,
                merges: leakIDs.merges, by: AppNameQuota(apps, modules: writer.nameCache.modules))
            var existing = try ExistingRows(
                of: aggregate, apps: apps, merges: leakIDs.merges, on: connection, names: &writer.nameCache)
            try requireCurrent(leakIDs, existing.cacheGeneration, by: writer)
            for countedID in aggregate.countedIDs {
                for leak in countedID.reported.ids {
                    writer.nameCache.remember(existing.module(of: leak), of: leak)
                }
            }
            let isStale = existing.requiresNewAggregate(aggregate)
            let mayExceed = try existing.mayExceed(
                writer.limits, adding: aggregate, names: &writer.nameCache,
                idempotency: &writer.idempotencyCache)
            if mayExceed || isStale {
                try existing.lookUpFallbacks(aggregate, &writer.nameCache)
                let newKeys = try ExactNameQuota.newKeys(
                    among: Set(countedIndexes.map { submissions[$0].keyID }), now: clock.expiryTime,
                    on: connection)
                aggregate = try Self.aggregate(
                    submissions, countedIndexes, unrecognized: idempotencyKeys.unrecognizedIndexes, in: apps,
                    merges: leakIDs.merges,
                    by: ExactNameQuota(
                        apps: apps, existing: existing, idempotency: writer.idempotencyCache,
                        limits: writer.limits, newKeys: newKeys
                    ))
            }
            let textBytes = existing.newTextBytes(of: aggregate)
            let rowIDs = try RowIDs(
                of: aggregate, &existing, on: connection, names: &writer.nameCache, now: now)

            writer.installSetCache.invalidate(unlessGenerationIs: existing.cacheGeneration)
            var batch = WriteBatch(
                of: aggregate, in: rowIDs, submissions, now: now, expiry: clock.expiryTime, by: writer)
            try batch.readAndMerge(&existing, on: connection, by: writer)
            try batch.limitDetails(existing, on: connection, by: writer, now: now)
            let writes = batch.queries(maxDroppedReasons: writer.limits.droppedReasonsPerApp)
            let usageQuery = writer.idempotencyCache.usageUpsert(
                idempotencyKeys, textBytes: textBytes.merging(batch.cellBytes, uniquingKeysWith: +),
                details: batch.details, limits: writer.limits)
            let answers = try commit(
                writes + [usageQuery, CachedLeakIDs.droppedUpdate(dropped)].compactMap { $0 }
                    + batch.detailQueries(maxCheckClasses: writer.limits.checkClassesPerBuild))
            writer.installSetCache.remember(batch.sets)
            writer.nameCache.remember(batch.cells)
            writer.nameCache.remember(batch.details)
            if usageQuery != nil { writer.idempotencyCache.remember(answers[writes.count]) }
            return receipts
        }

        /// Checks, after the apps are locked, that the cached ids are still current, by which reports of discarded leaks were
        /// dropped and reports of merged leaks were counted for other leaks.
        ///
        /// - Throws: ``StoreError/Reason/locked`` if the ids changed. The writer reads them again and makes another attempt.
        private func requireCurrent(
            _ leakIDs: CachedLeakIDs, _ cacheGeneration: Int64, by writer: Writer
        ) throws(StoreError) {
            guard leakIDs.cacheGeneration != cacheGeneration else { return }
            let current = try CachedLeakIDs(on: connection)
            guard current.hasSameIDs(as: leakIDs) else {
                throw StoreError(
                    .locked,
                    "database \(connection.name): a leak was discarded or merged while its reports were counted"
                )
            }
            writer.leakIDs = current
        }

        private mutating func commit(_ writes: [Query]) throws(StoreError) -> [Rows] {
            switch connection.commit(writes) {
            case .done(let answers): return answers
            case .rolledBack(let error): throw error
            case .inDoubt(let error):
                isInDoubt = true
                throw error
            }
        }

        /// - Parameter unrecognized: indexes of the submissions whose idempotency keys are not stored.
        private static func aggregate(
            _ submissions: [Submission], _ countedIndexes: [Int], unrecognized: Set<Int>,
            in apps: AdmittedApps,
            merges: MergedIDs, by quota: some NameQuota
        ) throws(StoreError) -> SubmissionAggregate {
            var aggregate = SubmissionAggregate(merges: merges)
            for number in countedIndexes {
                if unrecognized.contains(number) {
                    try aggregate.addUnstoredKey(submissions[number], by: quota)
                }
                try aggregate.add(
                    apps.withoutUnknownApps(submissions[number]), number: number, by: quota)
            }
            return aggregate
        }

        /// Returns the first submissions, up to the submission with which their total weight reaches the limit of one
        /// transaction. Submissions that turn out to be repeats are weighed too.
        private static func prefix(
            of submissions: [Submission], weighing limit: Int
        ) throws(StoreError) -> [Submission] {
            // Most calls need no exact weight: a report adds to a leak, one of its builds and an hour at most.
            let weightBound = submissions.reduce(0) { sum, submission in
                sum + 3 * submission.sightings.count + submission.explanations.count
                    + 2 * submission.origins.count
                    + submission.usageCounts.reduce(0) { $0 + $1.checks.count + 2 }
            }
            guard submissions.count > 1, weightBound >= limit else { return submissions }
            var aggregate = SubmissionAggregate()
            let names = UnlimitedNames()
            for (number, submission) in submissions.enumerated() {
                guard number == 0 || aggregate.weight < limit else { return Array(submissions[..<number]) }
                try aggregate.add(submission, number: number, by: names)
            }
            return submissions
        }
    }
#endif
