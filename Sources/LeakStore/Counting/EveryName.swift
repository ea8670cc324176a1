/// Takes every name as it is.
package final class EveryName: Admission {
    package init() {}

    package func app(named name: String, key: Int64, seen: Int64) -> String { name }

    package func release(_ version: String, of app: Int, at: Int64) -> String { version }

    package func build(_ name: String, of release: Int) -> String { name }

    package func leak(_ identity: LeakIdentity, of app: Int, key: Int64) -> AdmittedLeak {
        AdmittedLeak(counted: identity, isNew: false)
    }

    package func module(of leak: LeakID) -> String? { nil }

    package func admits(_ leak: Int, in build: Int, besides: Int, of app: Int) -> Bool { true }
}
