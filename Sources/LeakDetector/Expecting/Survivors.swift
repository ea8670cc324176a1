/// Objects that were reported, or are never to be, and are not known to have gone: by identity.
struct Survivors<Subject: Sendable>: Sendable {
    struct Survivor: Sendable {
        let subject: Subject
        let reportID: String
        let type: ObjectIdentifier
        let since: Int
        var isCounted = true
        /// Told of no more.
        var isMuted = false
    }

    let limit: Int
    private var byIdentity: [ObjectIdentifier: Survivor] = [:]
    /// Those that are not muted.
    private var alive: [ObjectIdentifier: Int] = [:]

    init(limit: Int) { self.limit = limit }

    subscript(identity: ObjectIdentifier) -> Survivor? { byIdentity[identity] }

    /// - Returns: how many of the type there are with it, and whether there was room to remember it.
    mutating func insert(
        _ subject: Subject, _ reportID: String, _ identity: ObjectIdentifier, _ circumstances: Circumstances,
        at now: Int
    ) -> (alive: Int, isRemembered: Bool) {
        let type = ObjectIdentifier(circumstances.type)
        let count = (alive[type] ?? 0) + 1
        guard byIdentity.count < limit else { return (count, false) }
        byIdentity[identity] = Survivor(
            subject: subject, reportID: reportID, type: type, since: now, isCounted: circumstances.isCounted)
        alive[type] = count
        return (count, true)
    }

    mutating func insertMuted(
        _ subject: Subject, _ identity: ObjectIdentifier, type: AnyClass, at now: Int
    ) {
        guard byIdentity.count < limit else { return }
        byIdentity[identity] = Survivor(
            subject: subject, reportID: "", type: ObjectIdentifier(type), since: now, isMuted: true)
    }

    /// - Returns: whether it was there, and not muted yet.
    mutating func mute(_ identity: ObjectIdentifier) -> Bool {
        guard let survivor = byIdentity[identity], !survivor.isMuted else { return false }
        byIdentity[identity]?.isMuted = true
        uncount(survivor.type)
        return true
    }

    /// - Returns: how many of its type are left.
    @discardableResult
    mutating func remove(_ identity: ObjectIdentifier) -> Int {
        guard let survivor = byIdentity.removeValue(forKey: identity) else { return 0 }
        if !survivor.isMuted { uncount(survivor.type) }
        return alive[survivor.type] ?? 0
    }

    private mutating func uncount(_ type: ObjectIdentifier) {
        let left = (alive[type] ?? 1) - 1
        alive[type] = left > 0 ? left : nil
    }
}
