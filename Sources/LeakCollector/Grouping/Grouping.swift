internal import LeakMessage
internal import LeakStore

/// Assigns reports to leaks by app, class, and the stack without the system's part of it.
///
/// Kind, module, children, cycle, version, device and texts are not in the key, so a leak is one group over
/// launches, devices, builds and versions of detectors. A stored group keeps the version of the rules that made it.
/// Version 1 reads a stack as a path of owners. Version 2 reads call stacks; a report without one, or with one that
/// names no function of the app, is version 1's.
enum Grouping {
    static let pathVersion = 1
    static let callStackVersion = 2

    /// Groups one report.
    ///
    /// - Parameters:
    ///   - app: the app's id, as the key has it.
    ///   - module: the app's own module, when its reports say so.
    static func group(_ report: LeakReport, app: String, module: String?) -> GroupedReport {
        let named = report.className.flatMap { $0.isEmpty ? nil : $0 }
        let text = [report.message, report.error?.description].compactMap(\.self).first { !$0.isEmpty }
        let demangleFunction = RuntimeDemangler.demangleFunction
        // A text is worth reading only for what the fields leave open.
        let parsed =
            named == nil || report.event == nil
            ? text.map {
                DetectorMessage(
                    $0, demangle: RuntimeDemangler.demangle, demangleFunction: demangleFunction,
                    guessesClass: report.fingerprint.isEmpty && report.cycle.isEmpty)
            } : nil
        let isFreed = (report.event ?? parsed?.event) == .freed

        let subject = Subject(
            report, className: named, parsed: parsed,
            callStack: report.stack.isEmpty
                ? parsed?.callStack : CallStack(report.stack, demangle: demangleFunction), module: module)
        let (key, version) = subject.key(fingerprint: report.fingerprint)
        let identity = LeakIdentity(
            id: id(app: app, key: key, version: version), app: app,
            kind: (report.kind ?? parsed?.kind ?? subject.kind).rawValue,
            className: subject.className?.name, module: subject.className?.module,
            title: subject.title(fingerprint: report.fingerprint),
            stack: subject.shownStack, children: subject.children.map(\.name), cycle: subject.cycle,
            quality: subject.quality(hasFingerprint: !report.fingerprint.isEmpty),
            groupedBy: GroupedBy(version: version, className: key.first ?? "", stack: Array(key.dropFirst())))
        let lived = report.livedMilliseconds ?? (isFreed ? text.flatMap(lived(in:)) : nil)
        return GroupedReport(
            identity: identity, isFreed: isFreed, livedMilliseconds: isFreed ? lived : nil,
            alive: report.alive ?? parsed?.alive)
    }

    /// A class as ``LeakIdentity/className`` has it, for counting checks by class.
    static func className(_ raw: String, module: String?) -> String {
        Subject.Name(raw, module: module).name
    }

    /// How long ago the leak was seen, by the text of an object that went.
    static func lived(in text: String) -> Int? {
        DetectorMessage(text).livedMilliseconds
    }

    /// The first 128 bits of SHA-256 over version, app and key, with U+001F between them.
    ///
    /// What reaches this has no control characters; were there a U+001F in a part, U+001B would mark it, so that no
    /// two lists of parts make one text.
    static func id(app: String, key: [String], version: Int = pathVersion) -> LeakID {
        var bytes = Array("\(version)".utf8)
        for part in [app] + key {
            bytes.append(0x1F)
            for byte in part.utf8 {
                switch byte {
                case 0x1B: bytes += [0x1B, 0x5B]
                case 0x1F: bytes += [0x1B, 0x5F]
                default: bytes.append(byte)
                }
            }
        }
        return LeakID(bytes: SHA256.hash(bytes))
    }
}

/// A report and the leak it is a sighting of.
struct GroupedReport: Sendable {
    let identity: LeakIdentity
    let isFreed: Bool
    /// Of a freed object: the time since its leak was seen.
    let livedMilliseconds: Int?
    let alive: Int?
}
