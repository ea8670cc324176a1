/// Takes every name as it is.
package final class EveryName: Admission {
    package init() {}

    package func app(named name: String, key: Int64, seen: Int64) -> AdmittedName {
        AdmittedName(name, number: 0)
    }

    package func release(_ version: String, of app: Int, at: Int64) -> AdmittedName {
        AdmittedName(version, number: 0)
    }

    package func build(_ name: String, of release: Int) -> AdmittedName { AdmittedName(name, number: 0) }

    package func leak(_ identity: LeakIdentity, of app: Int, key: Int64) -> (leak: AdmittedLeak, number: Int)
    {
        (AdmittedLeak(counted: identity, isNew: false), 0)
    }

    package func module(of leak: LeakID) -> String? { nil }

    package func admits(_ leak: Int, in build: Int, besides: Int, of app: Int) -> Bool { true }
}
