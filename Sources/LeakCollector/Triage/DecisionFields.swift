internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// Fields of a decision as a request contains them, in a form or in JSON.
struct DecisionFields: Hashable, Sendable {
    /// `resolve`, `ignore`, `reopen` or `note`.
    var action: String?
    /// The field `in`: `now`, `next`, or a version, which may have a build in parentheses.
    var fixVersion: String?
    /// The field `build`: the build of the version in ``fixVersion``.
    var fixBuild: String?
    /// The ``LeakDetail/referenceVersion`` that the page showed, to which `now` and `next` refer. `nil` uses the reference
    /// version at the time of the request, which may be newer than the version that the page showed.
    var shownCurrentRelease: String?
    /// The newest build of ``shownCurrentRelease`` that the page showed.
    var shownBuild: String?
    /// The end of the time in which the leak is ignored: a day, or a time of RFC 3339.
    var until: String?
    /// The number of further reports for which the leak is ignored.
    var reports: Int?
    var note: String?

    /// Maximum number of further reports for which a leak can be ignored. A leak never gets so many.
    static let maxReports = 1_000_000_000

    /// Maximum bytes of a version with its build in parentheses. Version and build may each be as long as in a report.
    static let maxReleaseBytes = 2 * WireLimits.versionBytes + 3

    private static let validActions = "resolve, ignore, reopen or note"
    private static let validFixes = "now, next, or a version such as 5.2.0 or 5.2.0 (812)"
    private static let validEnds = "a day such as 2026-12-01, or a time such as 2026-12-01T09:00:00Z"

    /// Parses the decision.
    ///
    /// - Parameters:
    ///   - name: name of the author of the decision.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``Problem`` 400 that names the wrong field and its valid values.
    func decision(by name: String, now: Int64) throws(Problem) -> Decision {
        let note = try parseNote()
        guard let action else {
            throw Self.invalidField("the field “action” is missing: \(Self.validActions)")
        }
        switch action {
        case "resolve":
            try reject([("until", until != nil), ("reports", reports != nil)], with: action)
            return Decision(.resolve(try parseFix()), note: note, by: name)
        case "ignore":
            try reject([("in", fixVersion != nil), ("build", fixBuild != nil)], with: action)
            return Decision(.ignore(try parseIgnoreLimit(now)), note: note, by: name)
        case "reopen", "note":
            try reject(
                [
                    ("in", fixVersion != nil), ("build", fixBuild != nil), ("until", until != nil),
                    ("reports", reports != nil),
                ], with: action)
            guard action == "note" else { return Decision(.reopen, note: note, by: name) }
            guard note != nil else { throw Self.invalidField("the field “note” is empty: write a comment") }
            return Decision(.note, note: note, by: name)
        default:
            throw Self.invalidField("the field “action” must be \(Self.validActions)")
        }
    }

    private func parseFix() throws(Problem) -> Decision.Fix {
        switch fixVersion {
        case nil, "": throw Self.invalidField("the field “in” is missing: \(Self.validFixes)")
        case "now":
            try rejectBuild()
            guard let version = try Self.shownName("newest", shownCurrentRelease) else {
                return .newestVersion
            }
            return .version(version, build: try Self.shownName("newest-build", shownBuild))
        case "next":
            try rejectBuild()
            return try Self.shownName("newest", shownCurrentRelease).map { .newerThan($0) } ?? .nextVersion
        case let version?:
            let text = version.trimmedOfWhiteSpace
            let release = ReleaseBuild(text)
            if let problem = WireName.problem(
                in: text, of: "the field “in”", atMost: Self.maxReleaseBytes)
                ?? WireName.problem(
                    in: release.version, of: "the version in the field “in”", atMost: WireLimits.versionBytes)
                ?? release.build.flatMap({
                    WireName.problem(
                        in: $0, of: "the build in the field “in”", atMost: WireLimits.versionBytes)
                })
            {
                throw Self.invalidField("\(problem); it must be \(Self.validFixes)")
            }
            if let meant = Self.misspelledBuild(text) {
                throw Self.invalidField(
                    "the parentheses in the field “in” name no build; name the build by its number: \(meant.text)"
                )
            }
            return try namedFix(in: release)
        }
    }

    /// Returns the release that a text such as `5.2.0 (build 812)` or `5.2.0 (v812)` means. Without this check, the whole text
    /// would be the name of a version that ranks like 5.2.0, so the decision would hold for all builds of 5.2.0. Other texts in
    /// parentheses, such as `(beta 2)`, are part of versions.
    private static func misspelledBuild(_ text: String) -> ReleaseBuild? {
        guard text.hasSuffix(")"), let parenthesis = text.lastIndex(of: "(") else { return nil }
        let inner = text[text.index(after: parenthesis)...].dropLast().lowercased().trimmedOfWhiteSpace
        guard let prefix = ["build", "b", "v", "#"].first(where: { inner.hasPrefix($0) }) else { return nil }
        let number = inner.dropFirst(prefix.count).drop { " .:-_#".contains($0) }
        let meant = ReleaseBuild("\(text[..<parenthesis])(\(number))")
        return meant.build == nil ? nil : meant
    }

    /// Returns the fix in a version. The build may be part of `version`, which is the field `in`, or be in the field `build`.
    private func namedFix(in version: ReleaseBuild) throws(Problem) -> Decision.Fix {
        guard let fixBuild, !fixBuild.isEmpty else { return .version(version.version, build: version.build) }
        let name = "the field “build”"
        if let problem = WireName.problem(in: fixBuild, of: name, atMost: WireLimits.versionBytes) {
            throw Self.invalidField("\(problem); it must be a build such as 812")
        }
        let build = fixBuild.trimmedOfWhiteSpace
        guard version.build ?? build == build else {
            throw Self.invalidField(
                "the fields “in” and “build” name different builds: send only one of them")
        }
        return .version(version.version, build: build)
    }

    private func rejectBuild() throws(Problem) {
        guard fixBuild ?? "" == "" else {
            throw Self.invalidField("the field “build” needs a version in the field “in”, such as 5.2.0")
        }
    }

    /// Checks a name that the page showed, and that its form has in a hidden field.
    private static func shownName(_ field: String, _ name: String?) throws(Problem) -> String? {
        guard let name else { return nil }
        if let problem = WireName.problem(
            in: name, of: "the field “\(field)”", atMost: WireLimits.versionBytes)
        {
            throw invalidField("\(problem): load the leak's page again")
        }
        return name
    }

    private func parseIgnoreLimit(_ now: Int64) throws(Problem) -> Decision.IgnoreLimit? {
        guard until == nil || reports == nil else {
            throw Self.invalidField(
                "the fields “until” and “reports” exclude each other: send only one of them")
        }
        if let reports {
            guard (1...Self.maxReports).contains(reports) else {
                throw Self.invalidField(
                    "the field “reports” must be a whole number from 1 to \(Self.maxReports)")
            }
            return .nextReports(reports)
        }
        guard let until else { return nil }
        // A day begins at midnight UTC, as everywhere in the collector.
        guard let end = WireTime(rfc3339: until) ?? WireTime(rfc3339: until + "T00:00:00Z") else {
            throw Self.invalidField("the field “until” must be \(Self.validEnds)")
        }
        guard end.milliseconds > now else {
            throw Self.invalidField("the field “until” is past: it must be in the future")
        }
        return .until(milliseconds: end.milliseconds)
    }

    /// Checks the note and removes white space at its ends.
    ///
    /// - Returns: `nil` if the note is empty.
    private func parseNote() throws(Problem) -> String? {
        guard let note else { return nil }
        // Forms end lines with CR LF.
        let lines = note.replacing("\r\n", with: "\n")
        let text = lines.trimmedOfWhiteSpace
        let count = text.utf8.count
        guard count <= Decision.maxNoteBytes else {
            throw Self.invalidField(
                "the field “note” is \(count) bytes, the limit is \(Decision.maxNoteBytes): shorten it")
        }
        guard !lines.unicodeScalars.contains(where: Self.isForbidden) else {
            throw Self.invalidField("the field “note” has a control character: remove it")
        }
        return text.isEmpty ? nil : text
    }

    /// Returns `true` for control characters other than tab and line feed.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\t" && scalar != "\n"
    }

    /// Throws if a decision with this action cannot have one of the fields. The sender may have meant another action, and the
    /// collector must not guess which action.
    private func reject(_ fields: [(name: String, isPresent: Bool)], with action: String) throws(Problem) {
        guard let field = fields.first(where: \.isPresent) else { return }
        throw Self.invalidField(
            "the field “\(field.name)” does not go with the action “\(action)”: remove it")
    }

    private static func invalidField(_ detail: String) -> Problem { Problem.invalidBody(detail) }
}
