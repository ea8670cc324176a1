package import LeakMessage

/// The content of a request body, as positions in the body. A value is copied only when a caller asks for it.
package struct WireDocument: Sendable {
    /// The bytes to which the positions refer. For a request of type `text/plain`, they are the JSON of one report, whose
    /// `message` is the text of the request.
    package let body: [UInt8]
    /// The origin of the batch. Reports without an origin of their own use it.
    package var origin = OriginSlices()
    package internal(set) var sentAt: WireTime?
    package internal(set) var sessions: [EndedSession] = []
    package internal(set) var checks: [ClassChecks] = []
    package internal(set) var dropped: [DroppedReports] = []
    /// The valid reports, in the order of the request.
    package internal(set) var reports: [ReportSlices] = []
    /// Explanations of leaks that were reported before: reports with ``ReportSlices/why``. They do not count as sightings.
    package internal(set) var explanations: [ReportSlices] = []
    /// The number of explanations with a problem, including explanations inside reports.
    package internal(set) var rejectedExplanationCount = 0
    /// The problem of the first explanation that has a problem; `nil` if none has.
    package internal(set) var firstExplanationProblem: String?
    /// The reports with a problem, in the order of the request.
    package internal(set) var rejected: [Rejection] = []

    init(body: [UInt8]) { self.body = body }

    /// The number of reports in the request, rejected ones included.
    package var reportCount: Int { reports.count + rejected.count }

    /// Returns the text of a string, or `nil` if the string is missing.
    package func string(_ slice: JSONSlice) -> String? {
        guard slice.isPresent else { return nil }
        return unsafe bytes(of: slice).withUnsafeBufferPointer {
            unsafe JSONText.string($0, isEscaped: slice.isEscaped)
        }
    }

    /// Returns the texts of an array of strings; empty if the array is missing.
    package func strings(_ array: JSONSlice) -> [String] {
        guard array.isPresent else { return [] }
        var strings: [String] = []
        // The slice was scanned when the document was read, so scanning it again finds no error.
        try? JSONScanner.scan(body, in: array.range) { (scanner) throws(JSONError) in
            guard try scanner.enterArray() else { return }
            repeat {
                strings.append(scanner.text(of: try scanner.string()))
            } while try scanner.hasAnotherElement(in: .array)
        }
        return strings
    }

    /// Returns the bytes of a value with unresolved escape sequences; empty if the value is missing.
    package func bytes(of slice: JSONSlice) -> ArraySlice<UInt8> {
        body[slice.range.clamped(to: 0..<body.count)]
    }

    /// Returns the origin of a report. Fields that the report leaves out come from the batch, see ``OriginSlices/filled(from:)``.
    package func origin(of report: ReportSlices) -> OriginSlices {
        report.origin.filled(from: origin)
    }
}

/// The positions of the fields of one report.
package struct ReportSlices: Hashable, Sendable {
    /// The index among the reports of the request, from 0, rejected ones included.
    package internal(set) var index = 0
    /// The whole object of the report.
    package internal(set) var raw = JSONSlice.absent
    package internal(set) var event: LeakReport.Event?
    package internal(set) var kind: LeakReport.Kind?
    /// The time at which the device saw the leak.
    package internal(set) var at: WireTime?
    package internal(set) var waitedMilliseconds: Int?
    package internal(set) var alive: Int?
    package internal(set) var livedMilliseconds: Int?
    /// The number of sightings that the report represents.
    package internal(set) var count = 1
    /// The code inside `error`.
    package internal(set) var errorCode = 0
    // Fields whose value is a string.
    package internal(set) var id = JSONSlice.absent
    package internal(set) var className = JSONSlice.absent
    package internal(set) var reason = JSONSlice.absent
    package internal(set) var message = JSONSlice.absent
    /// The description inside `error`.
    package internal(set) var errorText = JSONSlice.absent
    /// The domain inside `error`.
    package internal(set) var errorDomain = JSONSlice.absent
    // Fields whose value is an array of strings.
    package var stack = JSONSlice.absent
    package var children = JSONSlice.absent
    package var cycle = JSONSlice.absent
    package internal(set) var log = JSONSlice.absent
    package internal(set) var fingerprint = JSONSlice.absent
    // Fields whose value is a JSON object.
    package internal(set) var error = JSONSlice.absent
    package internal(set) var keys = JSONSlice.absent
    package internal(set) var why = JSONSlice.absent
    /// The origin as given in the report, without the fields of the batch.
    package var origin = OriginSlices()
}

/// The positions of the fields about the sender of a report: its app, build, device, install and user.
package struct OriginSlices: Hashable, Sendable {
    package internal(set) var appID = JSONSlice.absent
    package internal(set) var module = JSONSlice.absent
    package internal(set) var environment = JSONSlice.absent
    package internal(set) var version = JSONSlice.absent
    package internal(set) var build = JSONSlice.absent
    package internal(set) var os = JSONSlice.absent
    package internal(set) var osVersion = JSONSlice.absent
    package internal(set) var model = JSONSlice.absent
    package internal(set) var install = JSONSlice.absent
    package internal(set) var user = JSONSlice.absent

    /// Returns this origin with its missing fields filled from `other`.
    ///
    /// If this origin has the identifier of an app, it gets no field of the other app. If it has a version, it gets no build of
    /// the other origin. If it has any field of a device, it gets no field of the other device.
    func filled(from other: OriginSlices) -> OriginSlices {
        var origin = self
        if !appID.isPresent {
            origin.appID = other.appID
            if !module.isPresent { origin.module = other.module }
            if !version.isPresent {
                origin.version = other.version
                if !build.isPresent { origin.build = other.build }
            }
        }
        // An environment belongs to the run, and not to the app.
        if !environment.isPresent { origin.environment = other.environment }
        if !(os.isPresent || osVersion.isPresent || model.isPresent) {
            (origin.os, origin.osVersion, origin.model) = (other.os, other.osVersion, other.model)
        }
        if !install.isPresent { origin.install = other.install }
        if !user.isPresent { origin.user = other.user }
        return origin
    }
}
