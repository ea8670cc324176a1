/// Activity of a tab's pages so far, collected from the tab's events.
struct PageEvents: Sendable {
    /// Number of documents that have loaded completely, including their resources.
    private(set) var loadedDocumentCount = 0
    /// Errors and warnings of scripts, of the network and of the security policy, and dialogs.
    var complaints: [String] = []
    /// Number of dialogs that scripts opened.
    private(set) var dialogCount = 0

    mutating func receive(_ method: String, _ parameters: JSON) {
        switch method {
        case "Page.loadEventFired":
            loadedDocumentCount += 1
        case "Page.javascriptDialogOpening":
            dialogCount += 1
            complaints.append("dialog: \(parameters["message"].text ?? "")")
        case "Runtime.exceptionThrown":
            let details = parameters["exceptionDetails"]
            complaints.append(
                "exception: \(details["exception"]["description"].text ?? details["text"].text ?? "")")
        case "Runtime.consoleAPICalled":
            guard ["error", "warning", "assert"].contains(parameters["type"].text) else { return }
            let words = parameters["args"].elements.map { $0["value"].text ?? $0["description"].text ?? "" }
            complaints.append("console: \(words.joined(separator: " "))")
        case "Log.entryAdded":
            let entry = parameters["entry"]
            guard ["error", "warning"].contains(entry["level"].text) else { return }
            let words = ["source", "text", "url"].map { entry[$0].text ?? "" }
            complaints.append(words.joined(separator: " "))
        case "Audits.issueAdded":
            let issue = parameters["issue"]
            guard issue["code"].text == "ContentSecurityPolicyIssue" else { return }
            complaints.append("policy: \(issue["details"]["contentSecurityPolicyIssueDetails"])")
        default: break
        }
    }
}
