/// Releases, or one build of them, whose counts a check adds up.
package struct ReleaseCheckSide: Sendable {
    package struct Build: Sendable {
        package var row: Int64
        package var name: String
        package var order: [UInt8]

        /// The least key of a build to compare with: a build without a number, such as `local`, says nothing about one with a
        /// number.
        package var floor: [UInt8] { VersionOrder(name).isNumbered ? VersionOrder.numbered : [] }

        package init(row: Int64, name: String, order: [UInt8]) {
            self.row = row
            self.name = name
            self.order = order
        }
    }

    /// Rows of `release`. Several if their versions rank the same, as 5.2 and 5.2.0 do.
    package var rows: [Int64]
    /// `nil` for all builds together.
    package var build: Build?

    package init(rows: [Int64], build: Build?) {
        self.rows = rows
        self.build = build
    }
}

/// The baseline of a release check, and everything before it, in which a leak is not new.
package struct ReleaseCheckBaseline: Sendable {
    /// `nil` if there is no earlier version.
    package var side: ReleaseCheckSide?
    package var shown: ReleaseCheck.Side?
    /// Keys of the versions up to the baseline, all builds of them: from ``floor`` up to ``bound``, which is not one of them.
    package var bound: [UInt8]
    package var floor: [UInt8]
    /// Key of the build of the checked version up to which its builds belong to the baseline; `nil` if none does.
    package var buildBound: [UInt8]?

    package init(
        side: ReleaseCheckSide? = nil, shown: ReleaseCheck.Side? = nil, bound: [UInt8], floor: [UInt8]
    ) {
        self.side = side
        self.shown = shown
        self.bound = bound
        self.floor = floor
    }

    /// An earlier build of the checked version.
    package init(
        former build: ReleaseCheckSide.Build, of version: ReleaseCheckSide, _ name: String, floor: [UInt8]
    ) {
        self.init(
            side: ReleaseCheckSide(rows: version.rows, build: build),
            shown: ReleaseCheck.Side(version: name, build: build.name),
            bound: VersionOrder(name).sameRankLowerBound,
            floor: floor)
        buildBound = build.order
    }

    /// A baseline that the query names.
    ///
    /// - Parameter side: the releases of the named baseline; its build is `nil` if there is none of this name.
    package init(
        _ side: ReleaseCheckSide, of query: ReleaseCheckQuery, _ version: ReleaseCheckSide, floor: [UInt8]
    ) throws(StoreError) {
        let text = query.baseline ?? ""
        let (former, checked) = (VersionOrder(text), VersionOrder(query.version))
        if former.sameRankLowerBound == checked.sameRankLowerBound, let build = version.build,
            let formerBuild = side.build,
            formerBuild.order.lexicographicallyPrecedes(build.order)
        {
            self.init(former: formerBuild, of: side, text, floor: floor)
            return
        }
        guard former.sameRankLowerBound.lexicographicallyPrecedes(checked.sameRankLowerBound) else {
            let name = text + (query.baselineBuild.map { " (build \($0))" } ?? "")
            let than = query.version + (query.build.map { " (build \($0))" } ?? "")
            throw StoreError(
                .invalidArgument, "the baseline \(name) is not older than \(than); name an older one")
        }
        if let name = query.baselineBuild, side.build == nil, !side.rows.isEmpty {
            throw StoreError(
                .invalidArgument, "there are no reports of build \(name) of \(text); name another build")
        }
        self.init(
            side: side, shown: ReleaseCheck.Side(version: text, build: query.baselineBuild),
            bound: former.higherRankLowerBound, floor: floor)
    }
}

extension ReleaseCheck {
    /// Returns the lowest key of the versions to compare with. A text without a number (`unknown`) may be of any age, and says
    /// nothing about what a numbered version adds.
    ///
    /// - Parameter baseline: a text without a number is accepted as it is.
    package static func floor(baseline: String?, of version: String) -> [UInt8] {
        [baseline, version].allSatisfy { $0.map { VersionOrder($0).isNumbered } ?? true }
            ? VersionOrder.numbered : []
    }
}
