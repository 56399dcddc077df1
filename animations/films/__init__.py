"""The films, by name: where each class is, without importing it."""

FILMS: dict[str, str] = {
    "apple": "animations.films.apple:Apple",
    "address-book": "animations.films.address_book:AddressBook",
    "library-lookup": "animations.films.library_lookup:LibraryLookup",
}
