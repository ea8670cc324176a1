internal import LeakMessage

/// The names of the fields that ``FieldReader`` reads in reports and batches. Other fields are ignored.
enum WireField: String, CaseIterable {
    // Fields of a report.
    case type, id, at, kind, stack, children, cycle, reason, alive, count, message, error, keys, log,
        fingerprint, why
    case className = "class"
    case waited = "waited_ms"
    case lived = "lived_ms"
    // Fields of a report or a batch.
    case app, device, install, user
    // Fields of a batch.
    case sessions, checks, dropped, explanations, reports
    case sentAt = "sent_at"

    /// `true` for a field that only reports have and that can identify a leak.
    var identifiesLeak: Bool {
        switch self {
        case .className, .stack, .cycle, .message, .error, .fingerprint: true
        default: false
        }
    }

    /// `true` for a field that only batches have.
    var belongsToBatch: Bool {
        switch self {
        case .sessions, .checks, .dropped, .explanations, .reports, .sentAt: true
        default: false
        }
    }

    /// Recognizes a name by its length and bytes, without making a `String`.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        func ifNamed(_ field: WireField, _ text: StaticString) -> WireField? {
            for index in 0..<text.utf8CodeUnitCount where unsafe name[index] != text.utf8Start[index] {
                return nil
            }
            return field
        }
        let field: WireField? =
            switch name.count {
            case 2: ifNamed(.id, "id") ?? ifNamed(.at, "at")
            case 3: ifNamed(.app, "app") ?? ifNamed(.log, "log") ?? ifNamed(.why, "why")
            case 4:
                ifNamed(.type, "type") ?? ifNamed(.kind, "kind") ?? ifNamed(.keys, "keys")
                    ?? ifNamed(.user, "user")
            case 5:
                ifNamed(.className, "class") ?? ifNamed(.stack, "stack") ?? ifNamed(.count, "count")
                    ?? ifNamed(.alive, "alive") ?? ifNamed(.cycle, "cycle") ?? ifNamed(.error, "error")
            case 6: ifNamed(.reason, "reason") ?? ifNamed(.device, "device") ?? ifNamed(.checks, "checks")
            case 7:
                ifNamed(.message, "message") ?? ifNamed(.install, "install") ?? ifNamed(.reports, "reports")
                    ?? ifNamed(.dropped, "dropped") ?? ifNamed(.sentAt, "sent_at")
            case 8:
                ifNamed(.lived, "lived_ms") ?? ifNamed(.children, "children")
                    ?? ifNamed(.sessions, "sessions")
            case 9: ifNamed(.waited, "waited_ms")
            case 11: ifNamed(.fingerprint, "fingerprint")
            case 12: ifNamed(.explanations, "explanations")
            default: nil
            }
        guard let field else { return nil }
        self = field
    }
}

extension JSONScanner {
    /// Returns the field with this name; `nil` for a name that is ignored.
    func field(_ name: JSONSlice) -> WireField? {
        guard name.isEscaped else { return unsafe withBytes(of: name) { unsafe WireField($0) } }
        return WireField(rawValue: text(of: name))
    }
}
