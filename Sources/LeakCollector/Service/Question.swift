internal import HTTPServer
internal import LeakMessage
internal import LeakStore

/// What a reading request asks, free of the request: parsed on the loop, answered on a thread that may wait.
struct Question: Hashable, Sendable, CustomStringConvertible {
    private enum Topic: Hashable, Sendable {
        case leaks(LeakQuery), leak(LeakID), reports(LeakID), trend(LeakID, Trend.Step)
        case causes(app: String?), releases(app: String?), summary(app: String?, Period?), apps
        case leakClass(String, app: String?), classPage(String, app: String?)
        case check(ReleaseQuestion), handouts(HandoutKind), symbols, accessPage
        case summaryPage(LeakQuery), leakPage(LeakID), reportsPage(LeakID), causesPage(
            app: String?, first: String?)
        case releasesPage(app: String?)
    }

    private let topic: Topic
    /// For the first page's snippets.
    private let address: String
    let description: String

    /// Whether the answer is for eyes.
    private var wantsPage: Bool {
        switch topic {
        case .summaryPage, .leakPage, .reportsPage, .causesPage, .releasesPage, .classPage, .accessPage: true
        default: false
        }
    }

    /// Whether the answer is a page that follows from what the store holds and the minute alone: it says how long ago
    /// things were in no smaller unit, so that it is the same whichever thread makes it. The page of keys and tokens is
    /// none: they expire at any moment.
    private var isRemembered: Bool {
        switch topic {
        case .summaryPage, .leakPage, .reportsPage, .causesPage, .releasesPage, .classPage: true
        default: false
        }
    }

    /// - Throws: ``Problem`` 400 for a parameter that cannot be.
    init(_ route: Route, _ request: borrowing Request, address: String) throws(Problem) {
        self.address = address
        description = request.path
        switch route {
        case .leaks: topic = .leaks(try LeakQuery.read(from: request))
        case .leak(let id): topic = .leak(id)
        case .leakReports(let id): topic = .reports(id)
        case .leakTrend(let id): topic = .trend(id, try Self.step(request))
        case .causes: topic = .causes(app: Self.app(request))
        case .causesPage: topic = .causesPage(app: Self.app(request), first: Self.causeKey(request))
        case .releases:
            topic = .releases(app: Self.app(request))
        case .summary: topic = .summary(app: Self.app(request), try LeakQuery.period(of: request))
        case .apps: topic = .apps
        case .leakClass: topic = .leakClass(try Self.className(request), app: Self.app(request))
        case .classPage: topic = .classPage(try Self.className(request), app: Self.app(request))
        case .check: topic = .check(try Self.check(request))
        case .handouts(let kind): topic = .handouts(kind)
        case .symbols: topic = .symbols
        case .accessPage: topic = .accessPage
        case .summaryPage: topic = .summaryPage(try LeakQuery.read(from: request))
        case .leakPage(let id): topic = .leakPage(id)
        case .reportsPage(let id): topic = .reportsPage(id)
        case .releasesPage: topic = .releasesPage(app: Self.app(request))
        case .reports, .sentry, .health, .readiness, .signInPage, .signIn, .signOut, .install, .decisions,
            .decisionForm,
            .handout, .formAddress, .symbolUpload, .symbolRemoval:
            throw Problem(.notFound, "nothing to read is at this address")
        }
    }

    private static func app(_ request: borrowing Request) -> String? {
        guard let app = request.query("app"), !app.isEmpty else { return nil }
        return app
    }

    /// The ``LeakMessage/RetainPath/causeKey`` of the cause to show first. Other texts are ignored, so that they make no pages.
    private static func causeKey(_ request: borrowing Request) -> String? {
        request.query("first").flatMap { key in
            key.utf8.count == 16 && key.allSatisfy(\.isHexDigit) ? key : nil
        }
    }

    private static func className(_ request: borrowing Request) throws(Problem) -> String {
        guard let name = request.query("class"), !name.isEmpty else {
            throw Problem(.badRequest, "name the class, as in ?class=CheckoutViewController")
        }
        return name
    }

    private static func check(_ request: borrowing Request) throws(Problem) -> ReleaseQuestion {
        guard let app = app(request), let version = request.query("version"), !version.isEmpty else {
            throw Problem(
                .badRequest, "name the app and the version to check, as in ?app=com.acme.shop&version=5.2.0")
        }
        let baseline = request.query("baseline").flatMap { $0.isEmpty ? nil : $0 }
        return ReleaseQuestion(app: app, version: version, baseline: baseline)
    }

    private static func step(_ request: borrowing Request) throws(Problem) -> Trend.Step {
        guard let text = request.query("by"), !text.isEmpty else { return .day }
        guard let step = Trend.Step(rawValue: text) else {
            throw Problem(.badRequest, "by must be hour or day")
        }
        return step
    }

    /// Blocks on the store.
    ///
    /// - Parameters:
    ///   - memo: the pages that were made from `reader`.
    ///   - symbols: name closures on pages of leaks.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``Problem`` 404, 400 for a cursor of another list, or 500 and 503 for what the store says.
    func answer(
        from reader: any StoreReader, or memo: PageMemo, symbols: SymbolTables, now: Int64
    ) throws(Problem) -> Response {
        do {
            guard isRemembered else { return try answerOrThrow(reader, symbols, now) }
            let minute = now - now % 60_000
            guard reader.hasLocalChangeCounter else { return try answerOrThrow(reader, symbols, minute) }
            return try memo.page(for: self, state: try reader.changeCounter(), now: minute) {
                try answerOrThrow(reader, symbols, minute)
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as StoreError {
            throw Problem(error)
        } catch let nothing as NothingReported {
            throw Problem(.notFound, nothing.description)
        } catch {
            var problem = Problem(.internalServerError, "the collector's log says what happened")
            problem.cause = "\(error)"
            throw problem
        }
    }

    private func answerOrThrow(
        _ reader: any StoreReader, _ symbols: SymbolTables, _ now: Int64
    ) throws -> Response {
        let pages = PageSource(reader: reader, now: now, symbols: symbols)
        switch topic {
        case .leaks(let query):
            let page = try reader.leaks(query, now: now)
            return Answer.json { $0.fields(of: page) }
        case .leak(let id):
            guard let leak = try pages.detail(of: id) else {
                return try merged(id, reader) { Links.served.json(of: .leak($0)) }
            }
            let surroundings = try pages.surroundings(of: leak.row)
            return Answer.json { $0.fields(of: leak, surroundings) }
        case .reports(let id):
            guard let samples = try reader.samples(of: id) else {
                return try merged(id, reader) { Links.served.json(of: .reports($0)) }
            }
            return Answer.json { $0.fields(of: samples) }
        case .trend(let id, let step):
            guard let trend = try reader.trend(of: id, by: step, now: now) else {
                return try merged(id, reader) {
                    Links.served.json(of: .leak($0)) + "/trend?by=\(step.rawValue)"
                }
            }
            return Answer.json { $0.fields(of: trend) }
        case .causes(let app):
            let found = try pages.sharedCauses(app)
            return Answer.json { $0.fields(of: found, app: app) }
        case .releases(let app):
            // Versions of two apps cannot be told in one list: without a name it is the app that was seen last.
            let shown = try app ?? reader.apps().first
            let releases = try shown.map { try reader.releases(app: $0) } ?? []
            return Answer.json { $0.fields(of: releases, app: shown) }
        case .summary(let app, let period):
            let overview = try pages.overview(app: app, period)
            let each = try pages.overviews(app: app, of: reader.apps(), period)
            return Answer.json { $0.fields(of: overview, app: app, each: each) }
        case .leakClass(let name, let app):
            guard let found = try reader.leakClass(name, app: app, now: now) else { throw Problem.noClass }
            return Answer.json { $0.fields(of: found, app: app) }
        case .check(let question):
            let check = try question.check(reader, now: now)
            return Answer.json { $0.fields(of: check) }
        case .apps:
            let apps = try reader.apps().map { (id: $0, versions: try reader.versions(app: $0)) }
            return Answer.json { $0.fields(of: apps) }
        case .handouts(let kind):
            let all = try reader.credentials(all: true, now: now).filter { $0.purpose == kind.purpose }
            return Answer.json { $0.fields(of: all, kind) }
        case .symbols:
            let symbols = try reader.symbols()
            return Answer.json { $0.fields(of: symbols) }
        case .summaryPage(let query):
            return Response(page: try pages.summary(query, links: .served, address: address))
        case .leakPage(let id):
            guard let page = try pages.leak(id, links: .served) else {
                return try merged(id, reader) { Links.served.to(.leak($0)) }
            }
            return Response(page: page)
        case .reportsPage(let id):
            guard let page = try pages.reports(id, links: .served) else {
                return try merged(id, reader) { Links.served.to(.reports($0)) }
            }
            return Response(page: page)
        case .classPage(let name, let app):
            guard let page = try pages.leakClass(name, app: app, links: .served) else {
                throw Problem.noClass
            }
            return Response(page: page)
        case .accessPage:
            return Response(page: try AccessPage(from: reader, links: .served, now: now).html)
        case .causesPage(let app, let first):
            return Response(page: try pages.causes(app, first: first, links: .served))
        case .releasesPage(let app):
            return Response(page: try pages.releases(app, links: .served))
        }
    }

    /// Leads to the leak that another one was merged into.
    private func merged(
        _ id: LeakID, _ reader: any StoreReader, to address: (LeakID) -> String
    ) throws -> Response {
        guard let target = try reader.target(ofMerged: id) else { throw Problem.noLeak }
        return .redirect(to: address(target))
    }

    /// A problem in the form that was asked for.
    func refusal(_ problem: Problem, now: Int64) -> Response {
        guard wantsPage else { return problem.response }
        let detail = problem.status == .badRequest ? problem.detail : nil
        return .page(error: problem.status, detail: detail, isSignedIn: true, now: now)
    }
}

extension Problem {
    /// What the store could not do, as the API says it.
    init(_ error: StoreError) {
        switch error.reason {
        case .invalidArgument:
            self.init(.badRequest, error.description)
        case .locked, .diskFull, .databaseFull, .readOnly, .unavailable, .uncertain, .damaged:
            self = .unavailable("the store does not answer just now", afterSeconds: 5)
            cause = error.description
        case .notADatabase, .newerSchema, .corrupt, .missing, .other:
            self.init(.internalServerError, "the store cannot answer; the collector's log says why")
            cause = error.description
        }
    }
}
