/// Evaluates checks of due objects, and handles objects that are deallocated or used again before their check.
extension Expectations {
    /// Removes the objects that are due for a check, and returns them. Pass each to ``evaluate(_:_:owner:at:reportID:)`` with the
    /// result of the check.
    mutating func takeDue(at now: Int) -> [Entry] { wheel.takeDue(at: now) }

    /// Returns the reported objects of the types for which these checks give a result. A result contains the number of reported
    /// objects of its type that still exist, so the caller first checks which of the returned objects were deallocated.
    mutating func reportedObjects(withTypesOf checkedEntries: [(Entry, ObjectState)], at now: Int)
        -> [ObjectIdentifier]
    {
        var types: Set<ObjectIdentifier> = []
        for (entry, objectState) in checkedEntries {
            switch (entry.stage, objectState) {
            case (.secondCheck, .retained), (.survivor, .gone), (.survivor, .inUse):
                types.insert(ObjectIdentifier(entry.context.type))
            default: break
            }
        }
        return types.isEmpty ? [] : knownObjects.reportedObjects(types, at: now)
    }

    /// Sets the next threshold of ``KnownObjects/scanCandidates``. Call it after the deallocations of known objects were
    /// recorded.
    mutating func updateScanThreshold() { knownObjects.updateScanThreshold() }

    /// Evaluates a check of a due object, and schedules the next check if one is needed.
    ///
    /// - Parameter owner: the identity of the object's owner, while the owner exists.
    /// - Returns: the result to report; `nil` if there is none, for example because the object is checked again later.
    mutating func evaluate(
        _ entry: Entry, _ objectState: ObjectState, owner: ObjectIdentifier? = nil, at now: Int,
        reportID: () -> String
    ) -> ExpectationResult? {
        let objectState = isWithdrawn(entry, objectState) ? .inUse : objectState
        switch (entry.stage, objectState) {
        case (.grace, .gone), (.secondCheck, .gone):
            stopWaiting(1)
            if !entry.context.isPart { countChecks(entry.context, 1) }
        case (.grace, .inUse), (.secondCheck, .inUse):
            stopWaiting(1)
        case (.grace, .retained):
            scheduleSecondCheck(entry, at: now)
        case (.secondCheck, .retained) where entry.sequence < uses.lastUnrecordedSequence:
            // A later use of the object may be unrecorded, so a leak cannot be distinguished from an object in use.
            stopWaiting(1, unseen: entry.context)
        case (.secondCheck, .retained(let identity)):
            return evaluateRetained(entry, identity: identity, owner: owner, at: now, reportID: reportID)
        case (.keptByOwner(let key), .retained):
            return evaluateKeptByOwner(entry, key: key, owner: owner, at: now, reportID: reportID)
        case (.survivor(let key), .retained):
            return watch(entry, key, at: now)
        case (.keptByOwner(let key), _), (.survivor(let key), _):
            return end(of: key.identity, key.number, as: objectState, at: now)
        }
        return nil
    }

    /// Handles a known object that was deallocated or is in use.
    ///
    /// - Parameters:
    ///   - number: the number of the known object; `nil` for the object that has the identity now.
    ///   - objectState: `gone` or `inUse`.
    mutating func end(
        of identity: ObjectIdentifier, _ number: Int? = nil, as objectState: ObjectState, at now: Int
    ) -> ExpectationResult? {
        // The object was handled already, or another object has its address by now.
        guard let object = knownObjects[identity], number == nil || object.number == number else {
            return nil
        }
        // A muted object stays known as long as it exists.
        guard object.state != .muted || objectState == .gone else { return nil }
        knownObjects.remove(identity)
        if objectState == .inUse {
            // Compares numbers and does not read the weak reference to the owner, because the read retains the owner for a
            // moment, and its release could be the owner's last.
            withdrawParts { part in
                guard case .keptByOwner(let key) = part.stage else { return false }
                return part.context.owner?.identity == identity && key.number > object.number
            }
        }
        guard case .reported(let reportID, _) = object.state else {
            if object.state == .keptByOwner { counts.suppressed -= 1 }
            return nil
        }
        let lived = now - object.since
        let aliveCount = knownObjects.reportedCount(of: object.type)
        if objectState == .inUse {
            if object.isCounted { counts.cameBack += 1 }
            return .cameBack(reportID: reportID, livedMilliseconds: lived, aliveCount: aliveCount)
        }
        if object.isCounted { counts.freed += 1 }
        return .freed(reportID: reportID, livedMilliseconds: lived, aliveCount: aliveCount)
    }

    /// Withdraws the earlier expectations of an object that is in use, and of the objects that it keeps. The object may have
    /// been reported, or may still be waited for. The caller retains it.
    mutating func use(_ identity: ObjectIdentifier, at now: Int) -> ExpectationResult? {
        sequence += 1
        if counts.outstanding > 0 {
            let longest = longestGrace + limits.secondCheckMilliseconds + 2 * Self.partDelayMilliseconds
            uses.add(identity, sequence, at: now, forgettingAfter: longest)
        }
        if owners.remove(identity) != nil {
            // The caller retains the owner, so reading it does not deallocate it. The weak references to the owners of other objects are not read.
            withdrawParts { part in
                guard part.isAwaited, let owner = part.context.owner else { return false }
                return owner.identity == identity && owner.livingIdentity != nil
            }
        }
        return end(of: identity, as: .inUse, at: now)
    }

    /// A part of an object that is in use again.
    private struct UsedPart {
        /// The number of the part in ``KnownObjects``, if it is there.
        var number: Int?
        let subject: Subject

        /// Returns `true` if this part, which has or had the address of `owner`, is the object that `owner` refers to. Adds the
        /// objects that it reads to `objects`, so that they are not released here.
        ///
        /// Equal addresses are no proof: another object may have the address of the part now, or may have had it before.
        func isSameObject(as owner: WeakSubject, _ objects: inout [AnyObject]) -> Bool {
            guard let object = owner.object else { return false }
            objects.append(object)
            guard let subject = subject as? WeakSubject else { return true }
            guard let object = subject.object else { return false }
            objects.append(object)
            return true
        }
    }

    /// Withdraws the expectations of objects whose owner is in use again, and of the objects that these objects keep.
    private mutating func withdrawParts(where isPart: (Entry) -> Bool) {
        var parts = wheel.take(where: isPart)
        while !parts.isEmpty {
            var owners: [ObjectIdentifier: UsedPart] = [:]
            for part in parts {
                if part.isAwaited {
                    stopWaiting(1)
                    if let identity = part.expectedIdentity {
                        owners[identity] = UsedPart(subject: part.subject)
                    }
                } else if case .keptByOwner(let key) = part.stage,
                    let object = knownObjects[key.identity],
                    object.number == key.number, object.state == .keptByOwner
                {
                    knownObjects.remove(key.identity)
                    counts.suppressed -= 1
                    owners[key.identity] = UsedPart(number: key.number, subject: part.subject)
                }
            }
            parts = wheel.take { part in
                guard let owner = part.context.owner, let used = owners[owner.identity] else {
                    return false
                }
                switch part.stage {
                case .grace, .secondCheck: return used.isSameObject(as: owner, &checkedObjects)
                case .keptByOwner(let key):
                    guard let number = used.number else {
                        return used.isSameObject(as: owner, &checkedObjects)
                    }
                    return key.number > number
                case .survivor: return false
                }
            }
        }
    }

    /// Withdraws a result that was not reported yet. The object stays known, so that it is never reported.
    mutating func retract(_ reportID: String, of identity: ObjectIdentifier) {
        guard case .reported(reportID, _) = knownObjects[identity]?.state else { return }
        knownObjects.set(identity, .muted, isSuppressed: true)
        counts.leaked -= 1
        counts.suppressed += 1
    }

    /// Stops all reports of an object: neither its leak nor its deallocation is reported from now on.
    ///
    /// - Returns: ``ExpectationResult/forgotten(reportID:isIgnored:)`` if the object was reported; otherwise `nil`.
    mutating func ignore(_ subject: Subject, _ identity: ObjectIdentifier, type: AnyClass, at now: Int)
        -> ExpectationResult?
    {
        guard let object = knownObjects[identity] else {
            _ = knownObjects.insert(identity, subject: subject, type: type, state: .muted, at: now)
            return nil
        }
        knownObjects.set(identity, .muted, isSuppressed: object.isSuppressed || object.state == .keptByOwner)
        guard case .reported(let reportID, _) = object.state else { return nil }
        return .forgotten(reportID: reportID, isIgnored: true)
    }

    /// Returns `true` if a report is still valid: its object was neither freed, used again nor ignored since.
    func isValid(_ reportID: String, of identity: ObjectIdentifier) -> Bool {
        // An object for which there is no room among the known objects is reported as well.
        guard let state = knownObjects[identity]?.state else { return knownObjects.isFull }
        guard case .reported(reportID, _) = state else { return false }
        return true
    }

    /// Returns `true` if the object of a report must not be reported: the app ignored it, or the result was withdrawn. Another
    /// object that has the same address by now does not count.
    func isMuted(_ reportID: String, of identity: ObjectIdentifier) -> Bool {
        knownObjects[identity].map { $0.state == .muted && $0.reportID == reportID } ?? false
    }

    /// Returns `true` if the object was used after the expectation began.
    private func isWithdrawn(_ entry: Entry, _ objectState: ObjectState) -> Bool {
        guard case .retained(let identity) = objectState, let use = uses.sequence(of: identity) else {
            return false
        }
        return entry.sequence < use
    }

    /// Schedules the second check of an object that outlived its grace period.
    mutating func scheduleSecondCheck(_ entry: Entry, at now: Int) {
        var entry = entry
        entry.stage = .secondCheck
        // The object is due after its owner, so that a report of the owner is already known.
        let partDelay = entry.context.owner == nil ? 0 : Self.partDelayMilliseconds
        wheel.insert(entry, dueAt: now + limits.secondCheckMilliseconds + partDelay)
    }

    /// The additional time until the second check of an object with an owner, in milliseconds. It is four ticks long, so that
    /// an owner that is expected a moment later than its objects is still due before them.
    static var partDelayMilliseconds: Int { 400 }

    private mutating func evaluateRetained(
        _ entry: Entry, identity: ObjectIdentifier, owner: ObjectIdentifier?, at now: Int,
        reportID: () -> String
    ) -> ExpectationResult? {
        if let owner, let until = awaitedOwners[owner], now < until {
            scheduleSecondCheck(entry, at: now)
            return nil
        }
        awaitedOwners[identity] = nil
        stopWaiting(1)
        if let object = knownObjects[identity] {
            // The object was expected twice, but leaked once.
            suppress(object, identity: identity, expectedBy: entry)
            return nil
        }
        countChecks(entry.context, 1)
        if let owner, knownObjects[owner] != nil {
            deferToOwner(entry, identity, at: now)
            return nil
        }
        return recordLeak(entry, identity, at: now, reportID: reportID)
    }

    /// Counts an object as suppressed if it was ignored before it was expected.
    private mutating func suppress(
        _ object: KnownObjects<Subject>.KnownObject, identity: ObjectIdentifier, expectedBy entry: Entry
    ) {
        guard object.state == .muted, !object.isSuppressed else { return }
        knownObjects.set(identity, .muted, isSuppressed: true)
        counts.suppressed += 1
        countChecks(entry.context, 1)
    }

    private mutating func deferToOwner(_ entry: Entry, _ identity: ObjectIdentifier, at now: Int) {
        let number = knownObjects.insert(
            identity, subject: entry.subject, type: entry.context.type, state: .keptByOwner,
            isCounted: entry.context.isCounted, at: now)
        guard let number else { return }
        counts.suppressed += 1
        var entry = entry
        entry.stage = .keptByOwner(Entry.KnownKey(identity: identity, number: number, since: now))
        wheel.insert(entry, dueAt: nextCheckTime(age: 0, at: now))
    }

    private mutating func evaluateKeptByOwner(
        _ entry: Entry, key: Entry.KnownKey, owner: ObjectIdentifier?, at now: Int, reportID: () -> String
    ) -> ExpectationResult? {
        guard let object = knownObjects[key.identity], object.number == key.number,
            object.state == .keptByOwner
        else { return nil }
        // An object that is kept by its owner is watched for at most the same time as a reported object.
        let age = now - key.since
        guard age < limits.survivorMilliseconds else { return nil }
        if let owner, knownObjects[owner] != nil {
            wheel.insert(entry, dueAt: nextCheckTime(age: age, at: now))
            return nil
        }
        knownObjects.remove(key.identity)
        counts.suppressed -= 1
        return recordLeak(entry, key.identity, at: now, reportID: reportID)
    }

    private mutating func recordLeak(
        _ entry: Entry, _ identity: ObjectIdentifier, at now: Int, reportID: () -> String
    ) -> ExpectationResult {
        let context = entry.context
        if context.isCounted { counts.leaked += 1 }
        let id = reportID()
        let mayBeWatched =
            !context.isCounted
            || (knownObjects.watchedCount < limits.survivors && limits.survivorMilliseconds > 0)
        let number = knownObjects.insert(
            identity, subject: entry.subject, type: context.type,
            state: .reported(reportID: id, isWatched: mayBeWatched),
            isCounted: context.isCounted, at: now)
        if let number, mayBeWatched {
            var entry = entry
            entry.stage = .survivor(Entry.KnownKey(identity: identity, number: number, since: now))
            wheel.insert(entry, dueAt: nextCheckTime(age: 0, at: now))
        }
        return .leaked(
            identity, reportID: id, waitedMilliseconds: now - entry.startedAt,
            aliveCount: max(knownObjects.reportedCount(of: ObjectIdentifier(context.type)), 1),
            isWatched: number != nil && mayBeWatched)
    }

    private mutating func watch(_ entry: Entry, _ key: Entry.KnownKey, at now: Int) -> ExpectationResult? {
        guard let object = knownObjects[key.identity], object.number == key.number,
            case .reported(let reportID, _) = object.state
        else { return nil }
        let age = now - key.since
        guard age < limits.survivorMilliseconds || !object.isCounted else {
            // The object stays known until it is deallocated, so that it is not reported again.
            knownObjects.set(
                key.identity, .reported(reportID: reportID, isWatched: false), isSuppressed: false)
            return .forgotten(reportID: reportID, isIgnored: false)
        }
        wheel.insert(entry, dueAt: nextCheckTime(age: age, at: now))
        return nil
    }

    /// Returns the time of the next check: after an eighth of the object's age, but at least a second and at most a minute. The time
    /// is moved to a point on a grid, so that many checks share one wake-up.
    private func nextCheckTime(age: Int, at now: Int) -> Int {
        let step = min(max(age / 8, 1_000), 60_000)
        let grid = step < 4_000 ? 1_000 : step < 16_000 ? 4_000 : step < 60_000 ? 16_000 : 60_000
        return (now + step) / grid * grid
    }
}
