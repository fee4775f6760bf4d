//! Enumerations of products: types, statuses, visibility, periods.

use spotter_store::words;

words! {
    /// The type of a product.
    pub enum ProductType {
        DayPass = "DayPass",
        WeekPass = "WeekPass",
        Membership = "Membership",
        CreditPack = "CreditPack",
        Other = "Other",
    }
}

words! {
    /// A list of products with an order of its own.
    pub enum Shelf {
        Passes = "Passes",
        Memberships = "Memberships",
        CreditPacks = "CreditPacks",
        Others = "Others",
    }
}

words! {
    /// Where clients see a product.
    pub enum Visibility {
        Visible = "Visible",
        VisibleInStore = "VisibleInStore",
        VisibleInStoreAndApp = "VisibleInStoreAndApp",
        VisibleInApp = "VisibleInApp",
        HideProduct = "HideProduct",
    }
}

words! {
    /// Whether a product is paid once or again each period.
    pub enum StoreType { OneTime = "OneTime", Recurring = "Recurring" }
}

words! {
    /// A stretch of the calendar that is paid for, or notice that is given.
    pub enum Period {
        None = "None",
        Day = "Day",
        Week = "Week",
        FourWeeks = "FourWeeks",
        Month = "Month",
        Quarter = "Quarter",
        HalfYear = "HalfYear",
        Year = "Year",
    }
}

words! {
    /// When credits are granted: counted from the purchase, or on the first day of a week or month.
    pub enum CreditCalendar {
        Rolling = "Rolling",
        CalendarWeek = "CalendarWeek",
        CalendarMonth = "CalendarMonth",
    }
}

words! {
    /// The unit of a span of time.
    pub enum SpanUnit { Day = "Day", Week = "Week", Month = "Month", Year = "Year" }
}

words! {
    /// What happens to leftover credits when a pool is refilled: they lapse or accumulate.
    pub enum PoolMode { Reset = "Reset", Accumulate = "Accumulate" }
}

impl ProductType {
    /// The shelf of products of this type.
    pub const fn shelf(self) -> Shelf {
        match self {
            Self::DayPass | Self::WeekPass => Shelf::Passes,
            Self::Membership => Shelf::Memberships,
            Self::CreditPack => Shelf::CreditPacks,
            Self::Other => Shelf::Others,
        }
    }

    /// The default period of a product of this type, and whether another can be chosen.
    pub(super) const fn period(self) -> (Period, bool) {
        match self {
            Self::DayPass => (Period::Day, false),
            Self::WeekPass => (Period::Week, false),
            Self::Membership => (Period::Month, true),
            Self::CreditPack | Self::Other => (Period::None, false),
        }
    }

    /// The default number of usable days of a pass; 0 for other types.
    pub(super) const fn days_usable(self) -> i64 {
        match self {
            Self::DayPass => 1,
            Self::WeekPass => 7,
            Self::Membership | Self::CreditPack | Self::Other => 0,
        }
    }
}

impl Visibility {
    /// Whether clients see it in the app.
    pub const fn in_app(self) -> bool {
        matches!(self, Self::Visible | Self::VisibleInStoreAndApp | Self::VisibleInApp)
    }

    /// Whether clients may buy it by themselves, wherever they have seen it.
    pub const fn for_sale(self) -> bool {
        !matches!(self, Self::HideProduct)
    }
}
