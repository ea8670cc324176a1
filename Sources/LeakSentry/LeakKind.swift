internal import LeakMessage

/// The kind of a leak as people write it in a tag: `view_controller`, `view-controller`, `retain-cycle`.
struct LeakKind {
    let kind: LeakReport.Kind

    init?(_ text: String) {
        let word = String(text.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " })
        switch word {
        case "viewcontroller", "controller": kind = .viewController
        case "view": kind = .view
        case "object": kind = .object
        case "cycle", "retaincycle", "referencecycle": kind = .cycle
        default: return nil
        }
    }
}
