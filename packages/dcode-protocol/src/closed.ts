/**
 * A wire type as its declared keys only. What is read may hold more; a key that is not declared is
 * reached with a cast, and a misspelt one is an error.
 */
export type Closed<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? Closed<Item>[]
    : T extends object
      ? { [Key in keyof T as string extends Key ? never : Key]: Closed<T[Key]> }
      : T;
