internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// The closures on a retain path, in the form in which the store counts them, separately from the path.
///
/// They are not part of the path, because a closure has another offset in each build, and symbols may be uploaded
/// before or after a report.
struct StoredClosures: Hashable {
    /// A closure with the name that symbols give it, or its offset in an image.
    enum Closure: Hashable {
        case named(SymbolicatedFrame)
        case imageOffset(ImageOffset)
    }

    /// The ``LeakMessage/RetainPath/fingerprint`` of the path.
    let pathFingerprint: String
    /// The closures in the order of the path.
    let closures: [Closure]

    /// Creates the stored form of the closures of an explanation.
    ///
    /// - Returns: `nil` for an explanation without a path or without closures.
    init?(_ explanation: RetainExplanation, of reason: StoredReason) {
        guard let path = reason.path, !explanation.closureSites.isEmpty else { return nil }
        self.init(
            pathFingerprint: path.fingerprint, closures: explanation.closureSites.map(Closure.init(at:)))
    }

    /// Parses a text in the form of ``text``, and leaves out closures that cannot be parsed; `nil` for a text of fewer than two
    /// lines.
    init?(text: String) {
        let lines = text.split(separator: "\n")
        guard let fingerprint = lines.first, lines.count > 1 else { return nil }
        self.init(
            pathFingerprint: String(fingerprint), closures: lines.dropFirst().compactMap { Closure(text: $0) }
        )
    }

    private init(pathFingerprint: String, closures: [Closure]) {
        self.pathFingerprint = pathFingerprint
        self.closures = closures
    }

    /// The stored form: a line with the fingerprint, and a line for each closure. Closures that do not fit into
    /// `Submission.Explanation.maxReasonBytes` are left out.
    var text: String {
        var text = pathFingerprint
        for closure in closures {
            let line = "\n" + closure.text
            guard text.utf8.count + line.utf8.count <= Submission.Explanation.maxReasonBytes else { break }
            text += line
        }
        return text
    }

    /// The closures of a cycle in the rotation that sorts first. It does not depend on the object from which the cycle was
    /// found.
    var rotated: [Closure] {
        let names = closures.map(\.withoutLine.description)
        func rotation<Element>(_ elements: [Element], _ start: Int) -> [Element] {
            Array(elements[start...] + elements[..<start])
        }
        let first = closures.indices.min {
            rotation(names, $0).lexicographicallyPrecedes(rotation(names, $1))
        }
        return rotation(closures, first ?? 0)
    }

    /// Returns a copy in which closures have the names that symbols give them.
    func symbolicated(by symbolicator: inout FrameSymbolicator) -> StoredClosures {
        StoredClosures(
            pathFingerprint: pathFingerprint, closures: closures.map { $0.symbolicated(by: &symbolicator) })
    }
}

extension StoredClosures.Closure {
    /// Creates a closure from its offset in an image. The image's id is normalized, and an invalid id is left out.
    init(at site: ImageOffset) {
        let identifier = ImageID(site.imageIdentifier)?.description ?? ""
        let site = ImageOffset(image: site.image, imageIdentifier: identifier, offset: site.offset)
        self = .imageOffset(ImageOffset(element: site.element) ?? site)
    }

    fileprivate init?(text: Substring) {
        let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 3 else {
            guard let site = ImageOffset(element: String(text)) else { return nil }
            self = .imageOffset(site)
            return
        }
        self = .named(
            SymbolicatedFrame(
                function: fields[0], file: fields[1].isEmpty ? nil : fields[1], line: Int(fields[2])))
    }

    fileprivate var text: String {
        switch self {
        case .named(let call): "\(call.function)\t\(call.file ?? "")\t\(call.line.map(String.init) ?? "")"
        case .imageOffset(let site): site.element
        }
    }

    fileprivate func symbolicated(by symbolicator: inout FrameSymbolicator) -> Self {
        guard case .imageOffset(let site) = self, !site.imageIdentifier.isEmpty else { return self }
        let calls = symbolicator.calls(site.imageIdentifier, .offset(site.offset))
        guard let function = calls.last?.function else { return self }
        // The code that binds a closure's context has the closure's name but no line. The closure may be inlined
        // into that code, so a call with a line is preferred.
        return .named(
            calls.last { $0.function == function && $0.line != nil } ?? SymbolicatedFrame(function: function))
    }

    /// The name that symbols give the closure; `nil` without symbols.
    var name: String? {
        if case .named(let call) = self { call.function } else { nil }
    }

    /// `closure #1 in CartModel.bind() (CartModel.swift:12)`, or `0x41b9 in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)`.
    var description: String {
        switch self {
        case .named(let call):
            guard let file = call.file else { return call.function }
            return "\(call.function) (\(file)\(call.line.map { ":\($0)" } ?? ""))"
        case .imageOffset(let site): return site.element
        }
    }

    /// The closure without its line. Closures with the same name from different builds are then equal.
    var withoutLine: Self {
        guard case .named(var call) = self else { return self }
        call.line = nil
        return .named(call)
    }
}
