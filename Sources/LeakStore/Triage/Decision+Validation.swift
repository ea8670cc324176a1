extension Decision {
    /// Maximum length in bytes of the version and of the build in ``Fix/version(_:build:)`` and ``Fix/newerThan(_:)``, equal to
    /// that of a report's version.
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
        case .resolve(.version(let version, let build)):
            try Self.validateComparable(version, noun: "version")
            if let build { try Self.validateComparable(build, noun: "build") }
        case .resolve(.newerThan(let version)): try Self.validateComparable(version, noun: "version")
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

    private static func validateComparable(_ text: String, noun: String) throws(StoreError) {
        try validate("the \(noun)", text, maxBytes: maxVersionBytes, allowsLines: false)
        guard VersionOrder(text).isNumbered else {
            throw .invalid("'\(text)' cannot be compared with other \(noun)s: it must begin with a number")
        }
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

/// The version, or the build of it, from which on a leak should be fixed, as a row of `decision` has it.
package struct FixBound: Sendable {
    package var version: String
    package var build: String?
    /// `true` if only versions newer than ``version`` should have the fix.
    package var isAfter: Bool

    /// A sighting in a version whose ``VersionOrder/key`` is less does not contradict the fix.
    package var lowestVersionKey: [UInt8] {
        isAfter ? VersionOrder(version).higherRankLowerBound : VersionOrder(version).sameRankLowerBound
    }

    /// A sighting in a build of ``version`` whose ``VersionOrder/key`` is less does not contradict the fix. `nil` for a fix in
    /// all builds.
    package var lowestBuildKey: [UInt8]? { build.map { VersionOrder($0).sameRankLowerBound } }

    package var action: PastDecision.Action { .resolved(version: version, build: build, isAfter: isAfter) }

    /// Returns `true` if a sighting contradicts the fix.
    ///
    /// - Parameter build: `nil` if the sighting may be in any build of the version.
    package func isRefuted(in version: String, build: String?) -> Bool {
        let key = VersionOrder(version).key
        guard !key.lexicographicallyPrecedes(lowestVersionKey) else { return false }
        guard let lowestBuildKey, let build, key.starts(with: lowestVersionKey) else { return true }
        return !VersionOrder(build).key.lexicographicallyPrecedes(lowestBuildKey)
    }
}

extension Decision.Fix {
    /// Returns the version from which on the leak should be fixed.
    ///
    /// - Parameter current: ``LeakDetail/referenceVersion``, with its newest build in use.
    package func bound(current: ReleaseBuild) -> FixBound {
        switch self {
        case .newestVersion:
            FixBound(version: current.version, build: current.build, isAfter: false)
        case .nextVersion: FixBound(version: current.version, isAfter: true)
        case .version(let version, let build): FixBound(version: version, build: build, isAfter: false)
        case .newerThan(let version): FixBound(version: version, isAfter: true)
        }
    }
}

extension StoreError {
    fileprivate static func invalid(_ description: String) -> StoreError {
        StoreError(.invalidArgument, description)
    }
}
