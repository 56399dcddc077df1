"""The films, by name: where each class is, without importing it."""

FILMS: dict[str, str] = {
    "apple": "animations.films.apple:Apple",
    "library-lookup": "animations.films.library_lookup:LibraryLookup",
}
