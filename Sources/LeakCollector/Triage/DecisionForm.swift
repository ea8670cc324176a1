internal import LeakHTTPServer

extension DecisionFields {
    /// The buttons of the form on a leak's page. The field `do` has the value of the pressed button.
    enum Button: String, CaseIterable {
        case resolveInNextVersion = "resolve-next"
        case resolveNow = "resolve-now"
        case resolveInVersion = "resolve-in"
        case ignore
        case ignoreUntil = "ignore-until"
        case ignoreReports = "ignore-reports"
        case reopen
        case note
    }

    /// Parses the form of a leak's page. Fields that do not belong to the pressed button are ignored. If no button
    /// was pressed, for example after Enter in a field, the only field that is filled in determines the action.
    ///
    /// - Throws: ``Problem`` 400 that says what to fill in.
    init(_ form: Form) throws(Problem) {
        func text(_ name: String) -> String? { form[name].flatMap { $0.isEmpty ? nil : $0 } }
        note = text("note")
        switch try Self.button(of: form) {
        case .resolveInNextVersion:
            (action, fixVersion, shownCurrentRelease) = ("resolve", "next", text("newest"))
        case .resolveNow:
            (action, fixVersion, shownCurrentRelease) = ("resolve", "now", text("newest"))
            shownBuild = text("newest-build")
        case .resolveInVersion:
            guard let version = text("in") else {
                throw Problem.invalidBody("The version is empty: fill in the version that has the fix.")
            }
            (action, fixVersion) = ("resolve", version)
        case .ignore: action = "ignore"
        case .ignoreUntil:
            guard let day = text("until") else {
                throw Problem.invalidBody(
                    "The date is empty: fill in the day until which the leak is ignored.")
            }
            (action, until) = ("ignore", day)
        case .ignoreReports:
            guard let count = text("reports").flatMap({ Int(decimalDigits: $0) }) else {
                throw Problem.invalidBody(
                    "The number of reports is missing: fill in a whole number, 1 or more.")
            }
            (action, reports) = ("ignore", count)
        case .reopen: action = "reopen"
        case .note: action = "note"
        }
    }

    private static func button(of form: Form) throws(Problem) -> Button {
        guard let pressedButton = form["do"] else {
            let filledFields = [
                ("in", Button.resolveInVersion), ("until", .ignoreUntil), ("reports", .ignoreReports),
            ]
            .filter { form[$0.0]?.isEmpty == false }.map(\.1)
            guard filledFields.count <= 1 else {
                throw Problem.invalidBody(
                    "More than one field is filled in: press the button beside the field that you mean."
                )
            }
            return filledFields.first ?? .note
        }
        guard let button = Button(rawValue: pressedButton) else {
            throw Problem.invalidBody("This form is not from this collector: load the leak's page again.")
        }
        return button
    }
}
