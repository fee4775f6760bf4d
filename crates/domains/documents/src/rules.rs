//! The rules of documents, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of documents that a request broke.
    pub enum DocumentRule {
        FolderInItself
            "must not be the folder itself or one inside it"
            "mag niet de map zelf zijn, of een map erin"
            "darf nicht der Ordner selbst oder einer darin sein"
        FolderNotEmpty
            "must contain no folders and no unarchived documents"
            "mag geen mappen en geen actieve documenten bevatten"
            "darf keine Ordner und keine nicht archivierten Dokumente enthalten"
        FolderTaken
            "must differ from the folders beside it"
            "moet verschillen van de mappen ernaast"
            "muss sich von den Ordnern daneben unterscheiden"
        FoldersTooDeep
            "must leave at most five folders in each other"
            "mag hoogstens vijf mappen diep worden"
            "darf höchstens fünf Ordner tief werden"
        GivenForFile
            "must be absent for a file"
            "moet leeg zijn bij een bestand"
            "muss bei einer Datei leer sein"
        NotDocumentUrl
            "must be an https URL of at most 2048 characters, without a user"
            "moet een https-adres van hoogstens 2048 tekens zijn, zonder gebruikersnaam"
            "muss eine https-Adresse mit höchstens 2048 Zeichen sein, ohne Benutzer"
        NotSentFile
            "must be a file that you have sent, not used yet"
            "moet een bestand zijn dat je hebt verstuurd en nog niet gebruikt"
            "muss eine von Ihnen gesendete, noch nicht benutzte Datei sein"
        OfClientAlready
            "must stay: it is a client's already"
            "moet blijven: het is al van een klant"
            "muss bleiben: es gehört schon einem Kunden"
        TooManyFolders { max: usize }
            "must be one of at most {max} folders"
            "er mogen hoogstens {max} mappen zijn"
            "es dürfen höchstens {max} Ordner sein"
        UnknownFolder
            "must be a folder of the company"
            "moet een map van je bedrijf zijn"
            "muss ein Ordner Ihres Unternehmens sein"
    }
}
