#if PostgreSQL
    internal import LeakStore

    /// One transaction that counts submissions.
    struct Flush {
        let connection: Connection
        private(set) var receipts: [Receipt] = []
        /// `true` if the commit was sent and not answered.
        private(set) var isInDoubt = false

        init(connection: Connection) { self.connection = connection }

        mutating func run(
            _ submissions: [Submission], now: Int64, _ clock: StoreClock, by writer: Writer
        ) throws(StoreError) -> [Receipt] {
            let submissions = try Self.first(of: submissions, weighing: writer.limits.weightPerCommit)
            connection.begin("begin")
            var claims = Claims(of: submissions, clock)
            let opening = [Migration.sharedLock, Migration.version, writer.witness.next(now: now)]
            try claims.write(
                behind: opening, on: connection, limits: writer.limits, &writer.idempotency)
            receipts = claims.receipts

            let counted = submissions.indices.filter { receipts[$0] == .counted }
            guard !counted.isEmpty else {
                _ = try commit([])
                return receipts
            }
            let apps = try admitApps(
                of: counted.lazy.map { submissions[$0] }, &writer.names, limit: writer.limits.appsPerKey)
            var tally = try Self.tally(
                submissions, counted, forgotten: claims.forgotten, in: apps,
                by: AppsAdmitted(apps, modules: writer.names.modules))
            var known = try Known(of: tally, apps: apps, on: connection, names: &writer.names)
            for choice in tally.choices {
                for leak in [choice.asked.id, choice.asked.alternative?.id].compactMap(\.self) {
                    writer.names.learn(known.module(of: leak), of: leak)
                }
            }
            let isMisled = known.misled(tally)
            let mayExceed = try known.mayExceed(
                writer.limits, adding: tally, names: &writer.names, idempotency: &writer.idempotency)
            if mayExceed || isMisled {
                try known.lookBeyond(tally, &writer.names)
                tally = try Self.tally(
                    submissions, counted, forgotten: claims.forgotten, in: apps,
                    by: NamesAdmitted(
                        apps: apps, known: known, idempotency: writer.idempotency, limits: writer.limits))
            }
            let textBytes = known.newTextBytes(of: tally)
            let places = try Places(of: tally, &known, on: connection, names: &writer.names)

            writer.members.forget(before: known.erasures)
            var changes = Changes(
                of: tally, in: places, submissions, now: now, expiry: clock.expiryTime, by: writer)
            try changes.readAndMerge(&known, on: connection, by: writer)
            try changes.boundDetails(known, on: connection, by: writer)
            let writes = changes.writes(droppedReasons: writer.limits.droppedReasonsPerApp)
            let use = writer.idempotency.write(
                claims, textBytes: textBytes.merging(changes.cellBytes, uniquingKeysWith: +),
                pastHourBytes: tally.pastHourBytes, details: changes.details, limits: writer.limits)
            let answers = try commit(
                writes + [use].compactMap { $0 }
                    + changes.writeDetails(checkClasses: writer.limits.checkClassesPerRelease))
            writer.members.learn(changes.sets)
            writer.names.learn(changes.cells)
            writer.names.learn(changes.details)
            if use != nil { writer.idempotency.learn(answers[writes.count]) }
            return receipts
        }

        private mutating func commit(_ writes: [Query]) throws(StoreError) -> [Rows] {
            switch connection.commit(writes) {
            case .done(let answers): return answers
            case .undone(let error): throw error
            case .inDoubt(let error):
                isInDoubt = true
                throw error
            }
        }

        private static func tally(
            _ submissions: [Submission], _ counted: [Int], forgotten: Set<Int>, in apps: AdmittedApps,
            by admission: some Admission
        ) throws(StoreError) -> Tally {
            var tally = Tally()
            for number in counted {
                if forgotten.contains(number) {
                    try tally.addForgotten(submissions[number], by: admission)
                }
                try tally.add(
                    apps.withoutUnknownApps(submissions[number]), number: number, by: admission)
            }
            return tally
        }

        /// Returns as many submissions as one transaction takes, at least one; submissions that turn out to be repeats weigh too.
        private static func first(
            of submissions: [Submission], weighing limit: Int
        ) throws(StoreError) -> [Submission] {
            // Most calls need no exact weight: a report adds to a leak, one of its builds and an hour at most.
            let bound = submissions.reduce(0) { sum, submission in
                sum + 3 * submission.sightings.count + submission.explanations.count
                    + 2 * submission.origins.count
                    + submission.denominators.reduce(0) { $0 + $1.checks.count + 2 }
            }
            guard submissions.count > 1, bound >= limit else { return submissions }
            var tally = Tally()
            let names = EveryName()
            for (number, submission) in submissions.enumerated() {
                guard number == 0 || tally.weight < limit else { return Array(submissions[..<number]) }
                try tally.add(submission, number: number, by: names)
            }
            return submissions
        }
    }
#endif
