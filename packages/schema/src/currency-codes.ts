// A first letter, then the other two of each of its codes: in lower case, as the code around it is. Whole codes in capitals would cost a browser 200 bytes more.
const byFirstLetter =
  'aedfnllmdoarsudwgzn,' +
  'bambddthdifmdndobovrlsdtnwpynzd,' +
  'caddfhehfhwlflpnyopourcupvezk,' +
  'djfkkopzd,' +
  'egprntbur,' +
  'fjdkp,' +
  'gbpelhsipmdnftqyd,' +
  'hkdnltguf,' +
  'idrlsnrqdrrsk,' +
  'jmdodpy,' +
  'kesgshrmfpwrwwdydzt,' +
  'lakbpkrrdslyd,' +
  'maddlgakdmkntopruurvrwkxnxvyrzn,' +
  'nadgniookprzd,' +
  'omr,' +
  'pabengkhpkrlnyg,' +
  'qar,' +
  'ronsdubwf,' +
  'sarbdcrdgekgdhpleosrdsptnvcypzl,' +
  'thbjsmtndoprytdwdzs,' +
  'uahgxsdsnyiyuywzs,' +
  'vedesnduv,' +
  'wst,' +
  'xadafagaubabbbcbdcdcgdrofpdpfptsutsuaxx,' +
  'yer,' +
  'zarmwwg';

/**
 * The alphabetic codes of ISO 4217, funds and metals included, as of January 2026. Which of them the API accepts is
 * undocumented; `defineOrderUpdate({ currencies })` narrows or widens the list.
 */
export const currencyCodes: readonly string[] = byFirstLetter
  .toUpperCase()
  .split(',')
  .flatMap(
    (line) =>
      line
        .slice(1)
        .match(/../g)
        ?.map((letters) => line[0] + letters) ?? [],
  );
