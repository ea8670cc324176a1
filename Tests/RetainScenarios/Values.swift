enum LoadState {
    case idle
    case loaded(Screen, Int)
    case failed(String)
    case waiting(() -> Void)
}
indirect enum Tree {
    case leaf
    case node(Tree, Screen)
}
struct LoadError: Error { var screen: Screen }
final class Page: Screen {
    var state = LoadState.idle
    var tree = Tree.leaf
    var result: Result<Screen, LoadError>?
    var error: (any Error)?
    var twice: Screen??
    var tuple: (Int, (Screen?, Int)) = (0, (nil, 1))
    var nested = Nested()
    var object: AnyObject?
}

extension RetainScenario {
    static let values: [RetainScenario] = [
        .cycle("payload of an enum", "Page.state(.loaded).0 → Page") {
            let page = Page()
            page.state = .loaded(page, 3)
            return page
        },
        .cycle("closure in the payload of an enum", "Page.state(.waiting) → closure → Page") {
            let page = Page()
            let service = Service()
            page.state = .waiting {
                page.refresh()
                use(service)
            }
            return page
        },
        .cycle("payload of an indirect enum", "Page.tree(.node).1 → Page") {
            let page = Page()
            page.tree = .node(.node(.leaf, Screen()), page)
            return page
        },
        .cycle("failure of a result", "Page.result(.failure).screen → Page") {
            let page = Page()
            page.result = .failure(LoadError(screen: page))
            return page
        },
        .cycle("error", "Page.error.screen → Page") {
            let page = Page()
            page.error = LoadError(screen: page)
            return page
        },
        .cycle("optional of an optional", "Page.twice → Page") {
            let page = Page()
            page.twice = .some(.some(page))
            return page
        },
        .cycle("nested tuple", "Page.tuple.1.0 → Page") {
            let page = Page()
            page.tuple.1.0 = page
            return page
        },
        .cycle("nested struct", "Page.nested.inner.deep → Page") {
            let page = Page()
            page.nested.inner.deep = page
            return page
        },
        .cycle("property of type AnyObject", "Page.object → Page") {
            let page = Page()
            page.object = page
            return page
        },
    ]
}
