internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The release check: whether a version has new or regressed leaks.
struct CheckResource: JSONResource {
    static let jsonPath = "/check"

    let question: ReleaseQuestion

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        guard let app = request.queriedApp, let version = request.query("version"), !version.isEmpty else {
            throw Problem(
                .badRequest, "name the app and the version to check, as in ?app=com.acme.shop&version=5.2.0")
        }
        let baseline = request.query("baseline").flatMap { $0.isEmpty ? nil : $0 }
        question = ReleaseQuestion(app: app, version: version, baseline: baseline)
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        do {
            writer.fields(of: try question.check(view.reader, now: view.now))
        } catch let nothing as NothingReported {
            throw Problem(.notFound, nothing.description)
        }
    }
}
