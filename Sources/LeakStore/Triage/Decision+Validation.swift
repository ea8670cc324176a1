extension Decision {
    /// Maximum length in bytes of the version in ``Fix/version(_:)`` and ``Fix/newerThan(_:)``, equal to that of a report's
    /// version.
    public static let maxVersionBytes = 64

    /// Validates the decision, and returns it in the form that is stored: an empty note becomes `nil`.
    ///
    /// - Throws: ``StoreError/Reason/invalidArgument`` with a text that names the problem.
    package func validated(now: Int64) throws(StoreError) -> Decision {
        var decision = self
        if note?.isEmpty == true { decision.note = nil }
        try Self.validateName(by)
        try Self.validate("the note", note ?? "", maxBytes: Self.maxNoteBytes, allowsLines: true)
        switch action {
        case .resolve(.version(let version)), .resolve(.newerThan(let version)):
            try Self.validate("the version", version, maxBytes: Self.maxVersionBytes, allowsLines: false)
            guard VersionOrder(version).isNumbered else {
                throw .invalid(
                    "'\(version)' cannot be compared with other versions: it must begin with a number")
            }
        case .ignore(.until(let end)):
            guard end > now else {
                throw .invalid("the time until which a leak is ignored must be in the future")
            }
            // 10000-01-01T00:00:00Z: the formats of times that the collector writes have years of four digits.
            guard end < 253_402_300_800_000 else {
                throw .invalid("the time until which a leak is ignored must be before the year 10000")
            }
        case .ignore(.nextReports(let count)):
            guard (1...Total.largest).contains(count) else {
                throw .invalid(
                    "the number of reports until which a leak is ignored must be at least 1, not \(count)")
            }
        case .note:
            guard decision.note != nil else { throw .invalid("the note is empty") }
        case .resolve(.newestVersion), .resolve(.nextVersion), .ignore(.none), .reopen: break
        }
        return decision
    }

    /// Validates the name of a person, a key or a token.
    ///
    /// - Throws: ``StoreError/Reason/invalidArgument`` for an invalid name.
    package static func validateName(_ name: String) throws(StoreError) {
        guard !name.isEmpty else { throw .invalid("the name is empty") }
        try validate("the name", name, maxBytes: maxNameBytes, allowsLines: false)
    }

    private static func validate(
        _ noun: String, _ text: String, maxBytes: Int, allowsLines: Bool
    ) throws(StoreError) {
        guard text.utf8.count <= maxBytes else {
            throw .invalid("\(noun) has \(text.utf8.count) bytes, the limit is \(maxBytes)")
        }
        let isClean = text.unicodeScalars.allSatisfy { scalar in
            allowsLines && (scalar == "\n" || scalar == "\t")
                || !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
        }
        guard isClean else {
            throw .invalid(
                "\(noun) has control characters\(allowsLines ? " other than newline and tab" : "")")
        }
    }
}

extension Decision.Fix {
    /// Returns the version from which on the leak should be fixed.
    ///
    /// - Parameter currentVersion: the current release of the leak's app.
    /// - Returns: `version` and `isAfter` as in ``PastDecision/Action/resolved(version:isAfter:)``. A sighting in a version
    ///   with a ``VersionOrder/key`` of at least `lowestContradictingKey` contradicts the fix.
    package func bound(currentVersion: String) -> (
        version: String, isAfter: Bool, lowestContradictingKey: [UInt8]
    ) {
        switch self {
        case .newestVersion: (currentVersion, false, VersionOrder(currentVersion).sameRankLowerBound)
        case .nextVersion: (currentVersion, true, VersionOrder(currentVersion).higherRankLowerBound)
        case .version(let version): (version, false, VersionOrder(version).sameRankLowerBound)
        case .newerThan(let version): (version, true, VersionOrder(version).higherRankLowerBound)
        }
    }
}

extension StoreError {
    fileprivate static func invalid(_ description: String) -> StoreError {
        StoreError(.invalidArgument, description)
    }
}
