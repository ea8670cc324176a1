internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The reports of one leak by hour or day.
struct TrendResource: JSONResource {
    static let permission = Permission.read
    static let jsonPath = "/leaks/{leak}/trend"
    static let jsonParameters = ["by"]

    let leak: LeakID
    let step: Trend.Step

    init(_ request: borrowing Request, _ parameters: Parameters) throws(Problem) {
        leak = try parameters.leak
        guard let text = request.query("by"), !text.isEmpty else {
            step = .day
            return
        }
        guard let step = Trend.Step(rawValue: text) else {
            throw Problem.invalidParameter("the parameter “by” must be hour or day")
        }
        self.step = step
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        guard let trend = try view.reader.trend(of: leak, by: step, now: view.now) else {
            throw try view.redirectOrNotFound(leak) {
                view.links.json(of: .leak($0)) + "/trend?by=\(step.rawValue)"
            }
        }
        writer.fields(of: trend)
    }
}
