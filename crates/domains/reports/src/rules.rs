//! The rules of reports, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of reports that a request broke.
    pub enum ReportRule {
        RangeOfDays { most: usize }
            "must be at most {most} days after from"
            "mag hoogstens {most} dagen na het begin liggen"
            "darf höchstens {most} Tage nach dem Beginn liegen"
        RangeOfMonths { most: usize }
            "must be at most {most} months after from"
            "mag hoogstens {most} maanden na het begin liggen"
            "darf höchstens {most} Monate nach dem Beginn liegen"
        RangeOfWeeks { most: usize }
            "must be at most {most} weeks after from"
            "mag hoogstens {most} weken na het begin liggen"
            "darf höchstens {most} Wochen nach dem Beginn liegen"
        UnknownCoach
            "must be a coach of the company"
            "moet een van je coaches zijn"
            "muss einer Ihrer Coaches sein"
        UnknownLocation
            "must be a location of the company"
            "moet een van je locaties zijn"
            "muss einer Ihrer Standorte sein"
    }
}
