// An OpenID provider of the npm package oidc-provider: node oidc_provider.mjs ISSUER REDIRECT_URI.
// It runs in the folder into which `make provider-check` installed the package. Anyone can log in, with any password.

import { Provider } from "oidc-provider";

const [issuer, redirectUri] = process.argv.slice(2);
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "qrelsmith",
      client_secret: "a secret that is only for this check",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "client_secret_basic",
    },
  ],
  claims: {
    openid: ["sub"],
    email: ["email", "email_verified"],
    profile: ["name", "preferred_username"],
  },
  cookies: { keys: ["a key that is only for this check"] },
  pkce: { required: () => true },
  findAccount: (context, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id}@uni.example`,
      email_verified: true,
      name: `Person ${id}`,
      preferred_username: id,
    }),
  }),
});
provider.listen(new URL(issuer).port, "localhost");
